// `npm run build`: installs and builds what is not up to date.

import { build, install } from './prepare.mjs';

install();
build();

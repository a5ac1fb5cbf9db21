// Imported last by each process of `npm test`, when all its tests are declared.

import { disableRunnerHook } from './runner-hook.mjs';

disableRunnerHook();

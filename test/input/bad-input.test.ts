// What comes over HTTP and is not what a client would send: I1, I2, I7 and I9.

import { describe } from 'node:test';
import { bindParameters } from './bind-parameters.ts';
import { itHolds } from './family.ts';
import { jsonBodies } from './json-bodies.ts';
import { keys } from './keys.ts';
import { model } from './model.ts';

describe('Bad input', () => {
  for (const family of [jsonBodies, keys, bindParameters, model]) itHolds(family);
});

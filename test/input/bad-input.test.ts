// Bad input over HTTP: the families I1, I2, I7 and I9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../http-client.ts';
import type { Service } from '../service.ts';
import { type BindCase, bindParameters, runBindParameters } from './bind-parameters.ts';
import { itHolds } from './family.ts';
import { jsonBodies } from './json-bodies.ts';
import { keys } from './keys.ts';
import { model } from './model.ts';

describe('Bad input', () => {
  for (const family of [jsonBodies, keys, bindParameters, model]) itHolds(family);

  it('control: pasting parameters into the text of a query is detected', async () => {
    const paste = (service: Service, one: BindCase, oql: string): Promise<Answer> => {
      const pasted = one.parameters.reduce((text, { json }, i) => {
        const value: unknown = JSON.parse(json);
        return text.replace(`$${i + 1}`, () => (typeof value === 'string' ? `'${value}'` : json));
      }, oql);
      const body = JSON.stringify({ oql: pasted, params: [] });
      return service.send('POST', '/queries/adhoc', { body });
    };
    const work = { cases: 200, seed: 1, onProgress: () => undefined };
    await assert.rejects(runBindParameters(work, paste), /I7 failed|Property failed/);
  });
});

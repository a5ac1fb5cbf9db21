// Bodies of the management plane: the service accepts exactly the bodies that the schema accepts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ADMIN, Service } from '../service.ts';
import { readDocument } from './requests.ts';

const BODIES: Readonly<Record<string, readonly object[]>> = {
  NewRegion: [
    { name: 'r1' },
    { name: 'r2', type: null, 'key-constraint': null, 'value-constraint': null },
    {
      name: 'r3',
      type: 'PARTITION',
      'key-constraint': 'java.lang.Long',
      'value-constraint': 'a.B',
    },
    { name: 'r4', 'value-constraint': '' },
    { name: 'r5', 'key-constraint': '' },
    { name: 'r6', type: '' },
    { name: 'r7', type: 'OTHER' },
    { name: 'r8', 'value-constraint': 5 },
    { name: null },
    { name: '' },
    { type: 'PARTITION' },
  ],
  NewIndex: [
    { name: 'i1', expression: 'a' },
    { name: 'i2', expression: 'b', from: null, kind: null },
    { name: 'i3', expression: 'r.a', from: '/things r', kind: 'hash' },
    { name: 'i4', expression: 'a', kind: 'other' },
    { name: 'i5', expression: 'a', kind: '' },
    { name: 'i6', expression: '' },
    { name: 'i7', expression: null },
    { name: 'i8', expression: 'a', from: 5 },
    { name: 'i9', expression: 'a', from: '' },
    { name: '', expression: 'a' },
    { expression: 'a' },
  ],
};
const PATHS: Readonly<Record<string, string>> = {
  NewRegion: `${ADMIN}/regions`,
  NewIndex: `${ADMIN}/regions/things/indexes`,
};

test('schema and service accept the same definitions of regions and indexes', async () => {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'things' });
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(await readDocument(service), 'openapi');
  for (const [schema, bodies] of Object.entries(BODIES)) {
    const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
    assert.ok(validate !== undefined);
    const answers = new Set<number>();
    for (const body of bodies) {
      const text = JSON.stringify(body);
      const answer = await service.sendTo('POST', PATHS[schema] ?? '', { body: text });
      assert.equal(answer.status, validate(body) ? 201 : 400, `${schema} ${text}: ${answer.text}`);
      answers.add(answer.status);
    }
    assert.deepEqual([...answers].sort(), [201, 400]);
  }
});

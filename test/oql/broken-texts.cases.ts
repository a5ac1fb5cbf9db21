// Texts that are broken queries.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { brokenTexts } from './broken-texts.ts';

describe('a broken text', () => {
  itHolds(brokenTexts);
});

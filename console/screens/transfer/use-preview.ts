// The first rows of a file, read as the import reads them.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type FileForm, readRows } from './read-file.ts';
import type { FileRow } from './to-item.ts';
import { suggestKey } from './to-item.ts';

export interface FileChoice {
  readonly file: File;
  readonly form: FileForm;
  /** Of CSV. */
  readonly findsTypes: boolean;
}

interface Preview {
  /** Undefined until they are read. */
  readonly rows: readonly FileRow[] | undefined;
  readonly fields: readonly string[];
  readonly suggestion?: ReturnType<typeof suggestKey>['choice'];
  readonly error?: unknown;
}

const PREVIEWED = 10;
/** Rows that a key is suggested from. */
const SAMPLED = 200;
const NOTHING: Preview = { rows: undefined, fields: [] };

export function usePreview({ file, findsTypes, form }: FileChoice): Preview {
  const preview = useSignal<Preview>(NOTHING);
  useEffect(() => {
    let isWanted = true;
    void readPreview({ file, findsTypes, form }).then((next) => {
      if (isWanted) preview.value = next;
    });
    return () => {
      isWanted = false;
    };
  }, [file, findsTypes, form]);
  return preview.value;
}

async function readPreview({ file, findsTypes, form }: FileChoice): Promise<Preview> {
  const rows: FileRow[] = [];
  try {
    for await (const list of readRows(file, { findsTypes, form })) {
      rows.push(...list.slice(0, SAMPLED - rows.length));
      if (rows.length === SAMPLED) break;
    }
    const { choice, fields } = suggestKey(rows);
    return { rows: rows.slice(0, PREVIEWED), fields, suggestion: choice };
  } catch (error) {
    return { rows: undefined, fields: [], error };
  }
}

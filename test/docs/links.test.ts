// Links between the pages of the documentation have a target, headings included.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((name) => join(ROOT, name));

test('every link to one of our pages or headings has a target', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  assert.ok(links.length > 30, 'too few links were found');
  const broken = links.filter(({ page, link }) => !leadsSomewhere(page, link));
  assert.deepEqual(
    broken.map(({ page, link }) => `${relative(ROOT, page)}: ${link}`),
    [],
  );
});

test('the index of decisions lists every note', () => {
  const folder = join(ROOT, 'docs', 'decisions');
  const notes = globSync('[0-9]*.md', { cwd: folder });
  assert.ok(notes.length > 10);
  assert.deepEqual(
    linksOf(join(folder, 'README.md'))
      .filter((link) => /^\d/.test(link))
      .sort(),
    notes.sort(),
  );
});

function linksOf(page: string): readonly string[] {
  const text = withoutCode(readFileSync(page, 'utf8'));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return false;
  return heading === undefined || headingsOf(target).includes(heading);
}

/** Anchors like those of GitHub: lower case, without punctuation, blanks as hyphens. */
function headingsOf(page: string): readonly string[] {
  const text = withoutCode(readFileSync(page, 'utf8'), 'blocks');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string, which: 'blocks' | 'all' = 'all'): string {
  const plain = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return which === 'blocks' ? plain : plain.replaceAll(/`[^`\n]*`/g, '');
}

// Runs examples of the documentation: fenced blocks, against the sample grid.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, type RunningService, startService } from '../../src/app/index.ts';

/** The address that the documentation shows. */
const SHOWN_HOST = '127.0.0.1:7070';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of its first fence, counted from 1. */
  readonly line: number;
}

/** A block to run, and its shown output, if there is one. */
export interface Example {
  readonly input: Block;
  readonly output: Block | undefined;
}

function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    line: markdown.slice(0, match.index).split('\n').length,
  }));
}

/** Blocks of one language, each with the following block of output, if there is one. */
export function examplesOf(markdown: string, language: string): readonly Example[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap((input, index) => {
    if (input.language !== language) return [];
    const next = blocks[index + 1];
    const isOutput = next?.language === 'text' || next?.language === 'json';
    return [{ input, output: isOutput ? next : undefined }];
  });
}

/**
 * Compares lines; `…` in a line matches any text, and alone in a line any number of lines.
 */
export function assertShown(actual: string, shown: string): void {
  if (!shown.includes('…')) {
    assert.equal(actual.trimEnd(), shown.trimEnd());
    return;
  }
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${toPattern(line)}\n`))
    .join('');
  assert.match(`${actual.trimEnd()}\n`, new RegExp(`^${pattern}$`, 'u'));
}

function toPattern(line: string): string {
  return line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*');
}

/** The service with the sample grid in memory, as `start --memory --sample` runs it. */
export async function startSample(): Promise<RunningService & AsyncDisposable> {
  const workingDirectory = await mkdtemp(join(tmpdir(), 'gridkeep-docs-'));
  const outcome = await loadConfig({
    flags: [
      { path: 'http.port', raw: '0', name: 'port' },
      { path: 'http.drain-linger-ms', raw: '0', name: 'http-drain-linger-ms' },
      { path: 'store.engine', raw: 'memory', name: 'store-engine' },
    ],
    environment: {},
    workingDirectory,
  });
  assert.ok(outcome.kind === 'loaded', JSON.stringify(outcome));
  const service = await startService(outcome, { sample: {} });
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service.stop('end of test');
      await rm(workingDirectory, { recursive: true });
    },
  };
}

/** Why shell examples cannot be run here, if they cannot. */
export async function findShellObstacle(): Promise<string | undefined> {
  try {
    await promisify(execFile)('curl', ['--version']);
    return undefined;
  } catch {
    return 'curl is not installed';
  }
}

/**
 * Runs the blocks one after another in one shell, so that variables persist, and returns the output of
 * each. The shown address is replaced by that of the service.
 */
export async function runShell(
  blocks: readonly Block[],
  serviceUrl: string,
): Promise<readonly string[]> {
  const host = new URL(serviceUrl).host;
  const end = '=== end of block ===';
  const script = blocks.map(({ text }) => `${text}\nprintf '\\n${end}\\n'\n`).join('');
  const { stdout } = await promisify(execFile)('sh', ['-c', script.replaceAll(SHOWN_HOST, host)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const outputs = stdout.replaceAll(host, SHOWN_HOST).replaceAll('\r\n', '\n').split(`\n${end}\n`);
  assert.equal(outputs.length, blocks.length + 1);
  return outputs.slice(0, -1);
}

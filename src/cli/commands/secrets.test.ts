import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { runCli } from '../cli.ts';
import { readSecret } from '../read-secret.ts';
import { FakeTerminal } from '../testing/fake-terminal.ts';

async function run(
  args: readonly string[],
  secret?: string,
): Promise<{ code: number; out: readonly string[] }> {
  const terminal = new FakeTerminal('/', { secret });
  return { code: await runCli(args, terminal), out: terminal.out };
}

test('hash-password prints the hash of its input', async () => {
  const { code, out } = await run(['hash-password'], 'correct horse');
  assert.equal(code, 0);
  assert.match(out.join('\n'), /^scrypt\$N=32768\$r=8\$p=3\$[\w-]{22}\$[\w-]{43}$/);
});

test('hash-password refuses a password as an argument, a short one and empty input', async () => {
  assert.equal((await run(['hash-password', 'secret'], 'correct horse')).code, 2);
  assert.equal((await run(['hash-password'], 'short')).code, 1);
  assert.equal((await run(['hash-password'], 'correct\0horse')).code, 1);
  const notUtf8 = Buffer.from('correct horse \u00fc', 'latin1').toString('utf8');
  assert.equal((await run(['hash-password'], notUtf8)).code, 1);
  assert.equal((await run(['hash-password'])).code, 1);
});

test('make-api-key prints a new key and its hash each time', async () => {
  const { code, out } = await run(['make-api-key']);
  assert.equal(code, 0);
  const [, key = '', digest] =
    /key +(gridkeep_[\w-]{43}) [\s\S]*sha256:(\w{64})/.exec(out[0] ?? '') ?? [];
  assert.equal(hash('sha256', key), digest);
  assert.notDeepEqual((await run(['make-api-key'])).out, out);
  assert.equal((await run(['make-api-key', 'x'])).code, 2);
});

test('a secret is one line of the input', async () => {
  const read = (text: string): Promise<string | undefined> => {
    const input = new PassThrough();
    input.end(text);
    return readSecret(input, new PassThrough(), 'password: ');
  };
  assert.equal(await read('correct horse\nnext line\n'), 'correct horse');
  assert.equal(await read('no line end'), 'no line end');
  assert.equal(await read(''), undefined);
});

test('a terminal prompts for a secret and does not echo it', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = new PassThrough({ encoding: 'utf8' });
  const reading = readSecret(input, output, 'password: ');
  input.write('correct horse\r');
  assert.equal(await reading, 'correct horse');
  assert.equal(output.read(), 'password: \n');
});

// Parses the parts of a Dockerfile and a .dockerignore that ours use.

export interface Instruction {
  readonly word: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string | undefined;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = [];
  for (const line of text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (word === '') continue;
    if (word === 'FROM') {
      const [, base = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ name, base, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, text: rest });
  }
  return stages;
}

export interface Copy {
  /** The source stage; undefined for the checkout. */
  readonly stage: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export function copiesOf({ instructions }: Stage): readonly Copy[] {
  return instructions
    .filter(({ word }) => word === 'COPY')
    .map(({ text }) => {
      const words = text.split(/\s+/);
      const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice(7) : undefined;
      return { stage, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
    });
}

/** All texts of one instruction of a stage. */
export function textsOf({ instructions }: Stage, word: string): readonly string[] {
  return instructions.filter((each) => each.word === word).map(({ text }) => text);
}

/** Whether a .dockerignore of `*`, exceptions, and later patterns includes a path. */
export function isSent(ignoreFile: string, path: string): boolean {
  let isIgnored = false;
  for (const line of ignoreFile.split('\n')) {
    const pattern = line.trim();
    if (pattern === '' || pattern.startsWith('#')) continue;
    const isException = pattern.startsWith('!');
    const body = (isException ? pattern.slice(1) : pattern)
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.+/)?')
      .replaceAll(/\*(?!\))/g, '[^/]*');
    if (new RegExp(`^${body}(?:/.*)?$`).test(path)) isIgnored = !isException;
  }
  return !isIgnored;
}

// The rules for our Dockerfiles. A finding names the instruction and what is wrong with it.

import { copiesOf, type Instruction, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';

type Rule = (stage: Stage, stages: readonly Stage[]) => readonly string[];

const ONCE = ['CMD', 'ENTRYPOINT', 'HEALTHCHECK', 'USER', 'STOPSIGNAL'];
const KNOWN = [...ONCE, 'ENV', 'WORKDIR', 'COPY', 'RUN', 'VOLUME', 'EXPOSE', 'LABEL', 'ARG'];

const ANY_STAGE: readonly Rule[] = [
  ({ base }) => (isPinned(base) ? [] : [`FROM ${base}: no fixed version`]),
  ({ instructions }) =>
    instructions.flatMap(({ word }) =>
      KNOWN.includes(word) ? [] : [`${word}: an instruction that ours do not use`],
    ),
  (stage) => ONCE.flatMap((word) => (textsOf(stage, word).length > 1 ? [`${word}: twice`] : [])),
  (stage) =>
    textsOf(stage, 'WORKDIR').flatMap((path) =>
      path.startsWith('/') ? [] : [`WORKDIR ${path}: not absolute`],
    ),
  (stage, stages) =>
    copiesOf(stage).flatMap(({ sources, stage: from, target }) => [
      ...(from === undefined || stages.some(({ name }) => name === from)
        ? []
        : [`COPY: there is no stage ${from}`]),
      ...(sources.length > 1 && !target.endsWith('/') ? [`COPY: ${target} is not a folder`] : []),
      ...(sources.includes('.') ? ['COPY: the whole context'] : []),
    ]),
  (stage) =>
    textsOf(stage, 'RUN').flatMap((step) => [
      ...(/\bsudo\b/.test(step) ? ['RUN: sudo'] : []),
      ...(/\b(?:curl|wget)\b[^|]*\|\s*(?:ba)?sh\b/.test(step)
        ? ['RUN: a script that nobody has read']
        : []),
      ...(/apt-get install/.test(step) && !/--no-install-recommends/.test(step)
        ? ['RUN: more packages than named']
        : []),
      ...(/\bcd \//.test(step) ? ['RUN: cd instead of WORKDIR'] : []),
    ]),
  ({ instructions }) => instructions.flatMap(findSecret),
];

/** Rules for the final stage. */
const LAST_STAGE: readonly Rule[] = [
  (stage) =>
    /^(?!0\b)\d+(?::(?!0\b)\d+)?$/.test(textsOf(stage, 'USER')[0] ?? '')
      ? []
      : ['USER: not a number other than 0'],
  (stage) =>
    ['CMD', 'ENTRYPOINT'].flatMap((word) =>
      textsOf(stage, word).every((text) => text.startsWith('['))
        ? []
        : [`${word}: not in exec form`],
    ),
  (stage) => (textsOf(stage, 'HEALTHCHECK').length === 0 ? ['HEALTHCHECK: missing'] : []),
  ({ instructions }) => {
    const words = instructions.map(({ word }) => word);
    const isLate = (word: string): boolean => words.lastIndexOf(word) > words.indexOf('USER');
    return ['RUN', 'COPY'].filter(isLate).map((word) => `${word}: after USER`);
  },
];

/** One finding per line; none for a file that meets all rules. */
export function lintDockerfile(text: string): readonly string[] {
  const stages = parseDockerfile(text);
  const last = stages.at(-1);
  if (last === undefined) return ['FROM: missing'];
  return [
    ...stages.flatMap((stage) => ANY_STAGE.flatMap((rule) => rule(stage, stages))),
    ...LAST_STAGE.flatMap((rule) => rule(last, stages)),
  ];
}

function isPinned(base: string): boolean {
  const tag = /:([^/]+)$/.exec(base)?.[1] ?? '';
  return base.includes('@sha256:') || /^\d/.test(tag);
}

function findSecret({ text, word }: Instruction): readonly string[] {
  const isSet = word === 'ENV' || word === 'ARG';
  return isSet && /(?:PASSWORD|SECRET|TOKEN|_KEY)/i.test(text) ? [`${word}: a secret`] : [];
}

// The config file: settings in groups, and declarations. Reads YAML nodes instead of plain data, so
// that every problem has its line.

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { Declarations, SettingPath } from './config.ts';
import { createFindLocation, type FindLocation, findPath } from './config-locations.ts';
import type { EnvironmentVariables, ReportProblem } from './declared-fields.ts';
import { holdsHashes, parseAuth } from './parse-auth.ts';
import { parseQueries, parseRegions } from './parse-declarations.ts';
import { findSetting, SETTING_PATHS } from './setting-names.ts';
import { suggestName, suggestSetting } from './suggest-name.ts';

/** The contents of a file, before settings are checked. */
export interface ConfigFile {
  readonly settings: ReadonlyMap<SettingPath, FileValue>;
  readonly declarations: Declarations;
  readonly problems: readonly string[];
  readonly findLocation: FindLocation;
  /** Whether it contains hashes of passwords or API keys. */
  readonly holdsHashes: boolean;
}

export interface FileValue {
  readonly raw: unknown;
  /** `gridkeep.yaml:3`. */
  readonly location: string;
}

export const NO_DECLARATIONS: Declarations = { regions: [], queries: [] };

const GROUPS = new Set(SETTING_PATHS.map((path) => path.slice(0, path.indexOf('.'))));
const TOP_LEVEL: readonly string[] = [...GROUPS, 'regions', 'queries', 'auth'];

/**
 * Reads a file; `shownName` is its name in error messages; `environment` has the secrets that it
 * refers to. Undefined when there is no such file.
 */
export async function readConfigFile(
  file: string,
  shownName: string,
  environment: EnvironmentVariables,
): Promise<ConfigFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') return undefined;
    return failed([`${shownName} cannot be read: ${REASONS.get(code) ?? code}`]);
  }
  if (!isUtf8(bytes)) return failed([`${shownName} is not text in UTF-8`]);
  return parseConfigFile(bytes.toString('utf8'), shownName, environment);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EISDIR', 'it is a directory'],
  ['ENOTDIR', 'its folder is a file'],
  ['EACCES', 'permission denied'],
]);

function parseConfigFile(
  text: string,
  shownName: string,
  environment: EnvironmentVariables,
): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const locationAt = (offset: number | undefined): string =>
    offset === undefined ? shownName : `${shownName}:${lines.linePos(offset).line}`;
  // A warning is about a tag such as !secret, which would be ignored.
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    return failed(
      errors.map((error) => `${locationAt(error.pos[0])}: not valid YAML: ${error.message}`),
    );
  }
  const badAlias = findBadAlias(document);
  if (badAlias !== undefined) return failed([`${shownName}: not valid YAML: ${badAlias}`]);
  if (document.contents === null) return failed([]);
  if (!isMap(document.contents)) return failed([`${shownName} must be a map of setting groups`]);
  return new FileWalk(document, locationAt, environment).walk(document.contents);
}

/** An alias without its anchor, within its own anchor, or too many of them; if there is one. */
function findBadAlias(document: Document): string | undefined {
  try {
    JSON.stringify(document.toJS());
    return undefined;
  } catch (error) {
    return error instanceof ReferenceError ? error.message : 'An alias contains itself';
  }
}

function failed(problems: readonly string[]): ConfigFile {
  return {
    settings: new Map(),
    declarations: NO_DECLARATIONS,
    problems,
    findLocation: () => undefined,
    holdsHashes: false,
  };
}

/** The top level of the file has only groups. */
function printInGroup(path: SettingPath): string {
  const [group, member] = path.split('.');
  return `${member} under ${group}`;
}

/** One pass over the nodes, collecting settings and problems. */
class FileWalk {
  readonly #document: Document;
  readonly #locationAt: (offset: number | undefined) => string;
  readonly #environment: EnvironmentVariables;
  readonly #findLocation: FindLocation;
  readonly #settings = new Map<SettingPath, FileValue>();
  readonly #problems: string[] = [];
  #declarations: Declarations = NO_DECLARATIONS;
  #holdsHashes = false;

  constructor(
    document: Document,
    locationAt: (offset: number | undefined) => string,
    environment: EnvironmentVariables,
  ) {
    this.#document = document;
    this.#locationAt = locationAt;
    this.#environment = environment;
    this.#findLocation = createFindLocation(document, locationAt);
  }

  walk(contents: YAMLMap): ConfigFile {
    for (const pair of contents.items) this.#walkGroup(pair);
    return {
      settings: this.#settings,
      declarations: this.#declarations,
      problems: this.#problems,
      findLocation: this.#findLocation,
      holdsHashes: this.#holdsHashes,
    };
  }

  #walkGroup(pair: Pair): void {
    const group = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const location = this.#locationOf(pair.key);
    if (group === 'regions' || group === 'queries' || group === 'auth') {
      this.#declare(group, location, pair);
    } else if (!GROUPS.has(group)) {
      const hint = suggestName(group, TOP_LEVEL) || suggestSetting(group, printInGroup);
      this.#problems.push(`${location}: unknown setting ${group}${hint}`);
    } else if (isMap(pair.value)) {
      for (const member of pair.value.items) this.#takeSetting(group, member);
    } else if (!(isScalar(pair.value) && pair.value.value === null)) {
      this.#problems.push(`${location}: ${group} must be a map of settings`);
    }
  }

  #takeSetting(group: string, pair: Pair): void {
    const path = `${group}.${String(isScalar(pair.key) ? pair.key.value : pair.key)}`;
    const location = this.#locationOf(pair.key);
    const found = findSetting(path);
    if (found === undefined) {
      const hint = suggestSetting(path, (near) => near);
      this.#problems.push(`${location}: unknown setting ${path}${hint}`);
    } else {
      this.#settings.set(found.path, { raw: this.#toPlain(pair.value), location });
    }
  }

  #declare(section: 'regions' | 'queries' | 'auth', location: string, pair: Pair): void {
    const plain = this.#toPlain(pair.value) ?? [];
    const report = (problem: string): void => {
      const found = this.#findLocation(findPath(problem) ?? section);
      this.#problems.push(`${found ?? location}: ${problem}`);
    };
    this.#declarations = {
      ...this.#declarations,
      ...this.#parseDeclared(section, plain, report),
    };
  }

  #parseDeclared(
    section: 'regions' | 'queries' | 'auth',
    plain: unknown,
    report: ReportProblem,
  ): Partial<Declarations> {
    switch (section) {
      case 'regions':
        return { regions: parseRegions(plain, report) };
      case 'queries':
        return { queries: parseQueries(plain, report) };
      case 'auth': {
        this.#holdsHashes = holdsHashes(plain);
        const auth = parseAuth(plain, this.#environment, report);
        return auth === undefined ? {} : { auth };
      }
    }
  }

  #toPlain(node: unknown): unknown {
    return isNode(node) ? node.toJS(this.#document) : node;
  }

  #locationOf(node: unknown): string {
    return this.#locationAt(isNode(node) ? node.range?.[0] : undefined);
  }
}

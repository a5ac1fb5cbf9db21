// `?pretty=true`: line breaks and indentation for people, character by
// character, so that numbers and strings stay exactly as they are stored.

import type { ApiResponse, ResponseBody } from './api-response.ts';
import { JSON_TYPE, JSON_UTF8_TYPE, PLAN_TYPE, PROBLEM_TYPE } from './media-types.ts';

const JSON_TYPES: readonly string[] = [JSON_TYPE, JSON_UTF8_TYPE, PLAN_TYPE, PROBLEM_TYPE];

/** Takes JSON text in pieces of any length and returns it indented. */
class PrettyPrinter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether the last character was an opening bracket, which may be closed at once. */
  #opened = false;

  print(piece: string): string {
    let text = '';
    for (const character of piece) {
      text += this.#inString ? this.#stringCharacter(character) : this.#structure(character);
    }
    return text;
  }

  #stringCharacter(character: string): string {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
    return character;
  }

  #structure(character: string): string {
    if (character === '}' || character === ']') return this.#close(character);
    const before = this.#opened ? this.#newLine() : '';
    this.#opened = false;
    switch (character) {
      case '{':
      case '[':
        this.#depth += 1;
        this.#opened = true;
        return before + character;
      case ',':
        return character + this.#newLine();
      case ':':
        return ': ';
      default:
        this.#inString = character === '"';
        return before + character;
    }
  }

  #close(character: string): string {
    this.#depth -= 1;
    const before = this.#opened ? '' : this.#newLine();
    this.#opened = false;
    return before + character;
  }

  #newLine(): string {
    return `\n${'  '.repeat(this.#depth)}`;
  }
}

/** The same answer, indented, where it is JSON. */
export function prettyResponse(response: ApiResponse): ApiResponse {
  const { body, contentType = '', headers, status } = response;
  if (body === undefined || !JSON_TYPES.includes(contentType)) return response;
  return { status, contentType, headers, body: print(body) };
}

function print(body: Exclude<ResponseBody, undefined>): ResponseBody {
  if (typeof body === 'string') return printWhole(body);
  if (body instanceof Uint8Array) return printWhole(new TextDecoder().decode(body));
  return printStream(body);
}

function printWhole(compact: string): string {
  return `${new PrettyPrinter().print(compact)}\n`;
}

async function* printStream(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const printer = new PrettyPrinter();
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    yield printer.print(
      typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }),
    );
  }
  yield '\n';
}

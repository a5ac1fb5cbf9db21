// The elements of an array in a JSON answer, each as its own text and as it arrives: answers of any
// length are read with memory for one element.
//
//   {"orders":[ element , element , … ]}      elements at depth 2
//   [ element , element , … ]                 elements at depth 1

/**
 * Yields the texts in lists, one list per piece that arrived. Throws the error of `cutShort` when
 * the end is missing, or when there is anything but blanks before or after. An element that is
 * missing between commas is an empty text.
 */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  depth: number,
  cutShort: (cause?: unknown) => Error,
): AsyncGenerator<readonly string[]> {
  const splitter = new ElementSplitter(depth);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of body) {
      const elements = splitter.take(decoder.decode(bytes, { stream: true }));
      if (elements.length > 0) yield elements;
      if (splitter.isMisplaced) throw new SyntaxError('something is outside of the brackets');
    }
  } catch (error) {
    throw cutShort(error);
  }
  if (!splitter.isComplete) throw cutShort();
}

/** The elements of an array, or the members of an object with their names, of a complete text. */
export function splitElements(text: string): readonly string[] {
  return new ElementSplitter(1).take(text);
}

/** The text of a member whose name needs no escapes; undefined if there is none. */
export function findMember(text: string, name: string): string | undefined {
  const start = `"${name}":`;
  return splitElements(text)
    .find((member) => member.startsWith(start))
    ?.slice(start.length);
}

class ElementSplitter {
  readonly #elementDepth: number;
  /** The beginning of an element whose end has not arrived. */
  #pending = '';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isAfterComma = false;
  /** Closes the array or object whose elements are read. */
  #closing = ']';
  isComplete = false;
  /** True when there is something before or after the outermost brackets, or they do not match. */
  isMisplaced = false;

  constructor(elementDepth: number) {
    this.#elementDepth = elementDepth;
  }

  take(text: string): readonly string[] {
    const elements: string[] = [];
    let start = 0;
    const finish = (at: number, isComma: boolean): void => {
      const element = (this.#pending + text.slice(start, at)).trim();
      this.#pending = '';
      // Only an empty array has nothing between its brackets.
      if (element !== '' || isComma || this.#isAfterComma) elements.push(element);
      this.#isAfterComma = isComma;
    };
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (this.#isInString) {
        this.#stepInString(character);
      } else if (character === ',' && this.#depth === this.#elementDepth) {
        finish(at, true);
        start = at + 1;
      } else if (this.#stepBetween(character)) {
        // A comma or bracket of the array itself: the text before it is an element only at its end.
        if (this.#depth < this.#elementDepth) finish(at, false);
        start = at + 1;
      }
    }
    this.#pending = this.#depth >= this.#elementDepth ? this.#pending + text.slice(start) : '';
    return elements;
  }

  #stepInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  /** True when this character opens or closes the array. */
  #stepBetween(character: string): boolean {
    switch (character) {
      case '"':
        this.#isInString = true;
        return false;
      case '{':
      case '[':
        if (this.isComplete) this.isMisplaced = true;
        this.#depth += 1;
        if (this.#depth !== this.#elementDepth) return false;
        this.#closing = character === '[' ? ']' : '}';
        return true;
      case '}':
      case ']':
        this.#depth -= 1;
        this.isComplete = this.#depth === 0;
        if (this.#depth !== this.#elementDepth - 1) return false;
        if (character !== this.#closing) this.isMisplaced = true;
        return true;
      default:
        if (this.#depth === 0 && character.trim() !== '') this.isMisplaced = true;
        return false;
    }
  }
}

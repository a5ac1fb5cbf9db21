// The elements of an array in a JSON answer, each as its own text and as it
// arrives: answers of any length are read with the memory of one element.
//
//   {"orders":[ element , element , … ]}

/** Gives the texts in lists, one for each piece that arrived. Throws what `cutShort` gives when the end is missing. */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  cutShort: (cause?: unknown) => Error,
): AsyncGenerator<readonly string[]> {
  const splitter = new ElementSplitter();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of body) {
      const elements = splitter.take(decoder.decode(bytes, { stream: true }));
      if (elements.length > 0) yield elements;
    }
  } catch (error) {
    throw cutShort(error);
  }
  if (!splitter.isComplete) throw cutShort();
}

/** The array is the one member of an object, so its elements lie two levels deep. */
const ELEMENT_DEPTH = 2;

class ElementSplitter {
  /** The beginning of an element whose end has not arrived. */
  #pending = '';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  isComplete = false;

  take(text: string): readonly string[] {
    const elements: string[] = [];
    let start = 0;
    const finish = (at: number): void => {
      const element = (this.#pending + text.slice(start, at)).trim();
      this.#pending = '';
      if (element !== '') elements.push(element);
    };
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (this.#isInString) {
        this.#stepInString(character);
      } else if (character === ',' && this.#depth === ELEMENT_DEPTH) {
        finish(at);
        start = at + 1;
      } else if (this.#stepBetween(character)) {
        // A border of the array itself: what lies before it is an element only at its end.
        if (this.#depth < ELEMENT_DEPTH) finish(at);
        start = at + 1;
      }
    }
    this.#pending = this.#depth >= ELEMENT_DEPTH ? this.#pending + text.slice(start) : '';
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
        this.#depth += 1;
        return this.#depth === ELEMENT_DEPTH;
      case '}':
      case ']':
        this.#depth -= 1;
        this.isComplete = this.#depth === 0;
        return this.#depth === ELEMENT_DEPTH - 1;
      default:
        return false;
    }
  }
}

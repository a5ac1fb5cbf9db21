// Indents compact JSON byte by byte, in pieces of any length. So numbers and strings stay exactly
// as they are stored, and a region is never held as a whole.

/** Members of an object are on lines of their own, indented by two blanks. */
export interface JsonLayout {
  /** Between a name and its value. */
  readonly colon: ': ' | ' : ';
  /** The elements of an array: on lines of their own, or on one line with blanks between them. */
  readonly elements: 'lines' | 'one-line';
  /** Between brackets that hold nothing. */
  readonly gap: '' | ' ';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK = 0x20;
const NEWLINE = 0x0a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

class IndentedPrinter {
  readonly #layout: JsonLayout;
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;
  /** Open brackets, outermost first. */
  readonly #open: number[] = [];
  /** Open brackets whose content is indented. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The innermost bracket is open and still empty. */
  #isEmpty = false;

  constructor(layout: JsonLayout) {
    this.#layout = layout;
  }

  print(piece: Uint8Array): Uint8Array {
    this.#at = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index] ?? 0;
      if (this.#inString) this.#putStringByte(byte);
      else this.#putStructure(byte);
    }
    // The next piece needs a new buffer: this one is still being sent.
    const printed = this.#bytes.subarray(0, this.#at);
    this.#bytes = Buffer.allocUnsafe(Math.max(1024, this.#at));
    return printed;
  }

  #putStringByte(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    this.#put(byte);
  }

  #putStructure(byte: number): void {
    switch (byte) {
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#closeBracket(byte);
        return;
      case COMMA:
        this.#put(COMMA);
        this.#separate();
        return;
      case COLON:
        if (this.#layout.colon === ' : ') this.#put(BLANK);
        this.#put(COLON);
        this.#put(BLANK);
        return;
      default:
        this.#beginContent();
        this.#put(byte);
        if (byte === QUOTE) this.#inString = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#openBracket(byte);
    }
  }

  #openBracket(byte: number): void {
    this.#open.push(byte);
    if (this.#isIndented(byte)) this.#depth += 1;
    this.#isEmpty = true;
  }

  #beginContent(): void {
    if (!this.#isEmpty) return;
    this.#isEmpty = false;
    this.#separate();
  }

  #closeBracket(byte: number): void {
    const isIndented = this.#isIndented(this.#open.pop());
    if (isIndented) this.#depth -= 1;
    if (!this.#isEmpty && isIndented) this.#putNewline();
    else if (!this.#isEmpty || this.#layout.gap === ' ') this.#put(BLANK);
    this.#isEmpty = false;
    this.#put(byte);
  }

  #separate(): void {
    if (this.#isIndented(this.#open.at(-1))) this.#putNewline();
    else this.#put(BLANK);
  }

  #isIndented(bracket: number | undefined): boolean {
    return bracket !== OPEN_ARRAY || this.#layout.elements === 'lines';
  }

  #putNewline(): void {
    this.#put(NEWLINE);
    for (let level = 0; level < this.#depth; level += 1) {
      this.#put(BLANK);
      this.#put(BLANK);
    }
  }

  #put(byte: number): void {
    if (this.#at === this.#bytes.length) {
      const grown = Buffer.allocUnsafe(this.#bytes.length * 2);
      this.#bytes.copy(grown);
      this.#bytes = grown;
    }
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }
}

/** Complete compact JSON. */
export function indentJson(compact: string | Uint8Array, layout: JsonLayout): Uint8Array {
  return new IndentedPrinter(layout).print(toBytes(compact));
}

/** The same for JSON that comes in pieces. */
export async function* indentStream(
  pieces: AsyncIterable<string | Uint8Array>,
  layout: JsonLayout,
): AsyncGenerator<Uint8Array> {
  const printer = new IndentedPrinter(layout);
  for await (const piece of pieces) {
    const printed = printer.print(toBytes(piece));
    if (printed.length > 0) yield printed;
  }
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

// An array in pages. Doubling an array copies all of it: milliseconds for a million elements, and
// several arrays of a query double at the same time. Here a page is added instead. Contents that
// fit into the first page are one array, for loops over many rows.

const PAGE_BITS = 13;
/** Elements of a page. */
export const PAGE_SIZE: number = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;
/** The first page doubles until it is as long as the other pages. */
const FIRST_LENGTH = 64;

/**
 * Doubles; an element that was not written has the value `initial`. Pages are created on writing.
 */
export class PagedDoubles {
  /** The first page. It is replaced when it grows. */
  first: Float64Array;
  readonly #initial: number;
  readonly #pages: (Float64Array | undefined)[];

  constructor(initial = 0) {
    this.#initial = initial;
    this.first = this.#createPage(FIRST_LENGTH);
    this.#pages = [this.first];
  }

  /** Makes room for `size` elements in the first page, or for as many as it may have. */
  growFirst(size: number): void {
    if (size <= this.first.length || this.first.length === PAGE_SIZE) return;
    const grown = this.#createPage(lengthFor(size));
    grown.set(this.first);
    this.first = grown;
    this.#pages[0] = grown;
  }

  at(index: number): number {
    return this.#pages[index >>> PAGE_BITS]?.[index & PAGE_MASK] ?? this.#initial;
  }

  set(index: number, value: number): void {
    const page = this.#pages[index >>> PAGE_BITS];
    const at = index & PAGE_MASK;
    if (page !== undefined && at < page.length) page[at] = value;
    else this.#requirePage(index)[at] = value;
  }

  /** The first `size` numbers in one array, copied page by page unless one page holds them. */
  *join(size: number): Generator<void, Float64Array> {
    if (size <= this.first.length) return this.first;
    const all = new Float64Array(size);
    for (let start = 0; start < size; start += PAGE_SIZE) {
      const page = this.#pages[start >>> PAGE_BITS];
      if (page !== undefined) all.set(page.subarray(0, size - start), start);
      else all.fill(this.#initial, start, start + PAGE_SIZE);
      yield;
    }
    return all;
  }

  #requirePage(index: number): Float64Array {
    const number = index >>> PAGE_BITS;
    this.growFirst(index + 1);
    while (this.#pages.length <= number) this.#pages.push(undefined);
    const page = this.#pages[number] ?? this.#createPage(PAGE_SIZE);
    this.#pages[number] = page;
    return page;
  }

  #createPage(length: number): Float64Array {
    const page = new Float64Array(length);
    return Object.is(this.#initial, 0) ? page : page.fill(this.#initial);
  }
}

/** The same for 32-bit integers; an element that was not written is 0. */
export class PagedWords {
  /** The first page. It is replaced when it grows. */
  first: Uint32Array = new Uint32Array(FIRST_LENGTH);
  readonly #pages: (Uint32Array | undefined)[] = [this.first];

  /** Makes room for `size` elements in the first page, or for as many as it may have. */
  growFirst(size: number): void {
    if (size <= this.first.length || this.first.length === PAGE_SIZE) return;
    const grown = new Uint32Array(lengthFor(size));
    grown.set(this.first);
    this.first = grown;
    this.#pages[0] = grown;
  }

  at(index: number): number {
    return this.#pages[index >>> PAGE_BITS]?.[index & PAGE_MASK] ?? 0;
  }

  set(index: number, value: number): void {
    const page = this.#pages[index >>> PAGE_BITS];
    const at = index & PAGE_MASK;
    if (page !== undefined && at < page.length) page[at] = value;
    else this.#requirePage(index)[at] = value;
  }

  #requirePage(index: number): Uint32Array {
    const number = index >>> PAGE_BITS;
    this.growFirst(index + 1);
    while (this.#pages.length <= number) this.#pages.push(undefined);
    const page = this.#pages[number] ?? new Uint32Array(PAGE_SIZE);
    this.#pages[number] = page;
    return page;
  }
}

/** The size of a first page with room for `size` elements. */
function lengthFor(size: number): number {
  let length = FIRST_LENGTH;
  while (length < size && length < PAGE_SIZE) length *= 2;
  return length;
}

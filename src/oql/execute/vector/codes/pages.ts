// An array in pages. Doubling an array copies all of it: milliseconds for a million elements, and
// several arrays of a query double at the same time. Here a page is added instead. Contents that
// fit into the first page are one array, for loops over many rows.

const PAGE_BITS = 13;
/** Elements of a page. */
export const PAGE_SIZE: number = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;
/** The first page doubles until it is as long as the other pages. */
const FIRST_LENGTH = 64;

/** Numbers by index; one that was not written has the initial value. Pages are created on writing. */
class PagedNumbers<Page extends Float64Array | Uint32Array> {
  /** The first page. It is replaced when it grows. */
  first: Page;
  readonly #createPage: (length: number) => Page;
  readonly #initial: number;
  readonly #pages: (Page | undefined)[];

  constructor(createPage: (length: number) => Page, initial: number) {
    this.#createPage = createPage;
    this.#initial = initial;
    this.first = createPage(FIRST_LENGTH);
    this.#pages = [this.first];
  }

  /** Makes room for `size` elements in the first page, or for as many as it may have. */
  growFirst(size: number): void {
    if (size <= this.first.length || this.first.length === PAGE_SIZE) return;
    let { length } = this.first;
    while (length < size && length < PAGE_SIZE) length *= 2;
    const grown = this.#createPage(length);
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

  /** A new array with the numbers at the given indexes. */
  pick(indexes: Uint32Array): PagedNumbers<Page> {
    const picked = new PagedNumbers(this.#createPage, this.#initial);
    for (let at = 0; at < indexes.length; at += 1) picked.set(at, this.at(indexes[at] ?? 0));
    return picked;
  }

  /** The first `size` numbers in one array, copied page by page unless one page holds them. */
  *join(size: number): Generator<void, Page> {
    if (size <= this.first.length) return this.first;
    const all = this.#createPage(size);
    for (let start = 0; start < size; start += PAGE_SIZE) {
      const page = this.#pages[start >>> PAGE_BITS];
      if (page !== undefined) all.set(page.subarray(0, size - start), start);
      yield;
    }
    return all;
  }

  #requirePage(index: number): Page {
    const number = index >>> PAGE_BITS;
    this.growFirst(index + 1);
    while (this.#pages.length <= number) this.#pages.push(undefined);
    const page = this.#pages[number] ?? this.#createPage(PAGE_SIZE);
    this.#pages[number] = page;
    return page;
  }
}

export class PagedDoubles extends PagedNumbers<Float64Array> {
  constructor(initial = 0) {
    super((length) => new Float64Array(length).fill(initial), initial);
  }
}

/** 32-bit integers; the initial value is 0. */
export class PagedWords extends PagedNumbers<Uint32Array> {
  constructor() {
    super((length) => new Uint32Array(length), 0);
  }
}

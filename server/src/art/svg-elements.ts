/** Maximum number of elements, including the copies that `use` elements make. */
const maxElements = 50_000;
/** Maximum depth of elements inside each other, and of `use` elements whose targets contain `use` elements. */
const maxDepth = 64;

const tooMany = `has more than ${maxElements} elements. Simplify it, or export it as WebP or PNG`;
const tooDeep = `has elements more than ${maxDepth} levels deep. Simplify it, or export it as WebP or PNG`;

interface Element {
  name: string;
  children: Element[];
  /** The id that a `use` element copies. */
  copies?: string | undefined;
  /** Elements that are drawn for this one: itself, its children and its copies. */
  drawn?: number;
}

/** The elements of an SVG, counted while its tags are read. */
export class SvgElements {
  readonly #open: Element[] = [];
  readonly #byId = new Map<string, Element>();
  #root: Element | undefined;
  #count = 0;

  /** Returns the problem, if there is one. */
  open(name: string, attributes: ReadonlyMap<string, string>): string | undefined {
    if (++this.#count > maxElements) return tooMany;
    if (this.#open.length >= maxDepth) return tooDeep;
    const target = attributes.get('href') ?? attributes.get('xlink:href');
    const isUse = /^(?:.*:)?use$/.test(name);
    const element: Element = { name, children: [], copies: isUse ? target?.trim().slice(1) : undefined };
    const id = attributes.get('id');
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, element);
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    this.#open.push(element);
    return undefined;
  }

  /** Returns whether the innermost open element has this name. */
  close(name: string): boolean {
    return this.#open.pop()?.name === name;
  }

  get isClosed(): boolean {
    return this.#open.length === 0;
  }

  /** A few `use` elements that copy each other can draw more elements than a browser can: counts the copies. */
  problem(): string | undefined {
    try {
      return this.#root !== undefined && this.#drawn(this.#root, 0) > maxElements ? tooMany : undefined;
    } catch (error) {
      if (error instanceof TooDeep) return tooDeep;
      throw error;
    }
  }

  #drawn(element: Element, copyDepth: number): number {
    if (copyDepth > maxDepth) throw new TooDeep();
    if (element.drawn !== undefined) return element.drawn;
    const target = element.copies === undefined ? undefined : this.#byId.get(element.copies);
    let drawn = 1 + (target === undefined ? 0 : this.#drawn(target, copyDepth + 1));
    for (const child of element.children) drawn += this.#drawn(child, copyDepth);
    element.drawn = drawn;
    return drawn;
  }
}

/** `use` elements copy each other too often, or in a circle. */
class TooDeep extends Error {}

/** Large enough that 150 000 pods are 300 requests; a page of this size is taken in within some 15 ms, so that the rest of the process is never held up for long. */
const targetBytes = 2_000_000;
const smallest = 20;
const largest = 1_000;

/**
 * How many objects to ask for in one page of a list: few at first, then as many as fit the target, learned from the size of
 * the objects that came. A pod has 4 KB, a node with its images 11 KB, a Secret anything up to 1 MB.
 */
export class PageSize {
  #limit = 100;

  get limit(): number {
    return this.#limit;
  }

  learn(bytes: number, objects: number): void {
    if (objects === 0) return;
    const fitting = Math.floor(targetBytes / (bytes / objects));
    this.#limit = Math.min(Math.max(fitting, smallest), largest);
  }
}

/** How much may still be looked at. */
export class StepBudget {
  readonly max: number;
  #spent = 0;

  constructor(max: number) {
    this.max = max;
  }

  get spent(): number {
    return this.#spent;
  }

  get isSpent(): boolean {
    return this.#spent > this.max;
  }

  /** For what has been done already. */
  note(steps: number): void {
    this.#spent += steps;
  }

  /** Throws OutOfSteps once it is used up. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.isSpent) throw new OutOfSteps(`more than ${this.max} steps`);
  }
}

/** Ends a search that has proved nothing. */
export class OutOfSteps extends Error {}

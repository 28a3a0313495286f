import { type FieldViolation, invalidFields } from '@quartermaster/kernel';

/** More would only make the error long. */
const maxFaults = 50;

/** What the parser says instead quotes what it has read. */
export const notJson: FieldViolation = { field: '/', description: 'is not JSON: give a manifest as the SDL tools make it' };

/** What is wrong with a manifest. Descriptions say nothing of values: they may be secrets. */
export class Faults {
  readonly #list: FieldViolation[] = [];

  add(field: string, description: string): void {
    if (this.#list.length < maxFaults) this.#list.push({ field, description });
  }

  /** `invalid_argument` with all of them. */
  throwIfAny(): void {
    if (this.#list.length > 0) throw invalidFields(this.#list);
  }
}

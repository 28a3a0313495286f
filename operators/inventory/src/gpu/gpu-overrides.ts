import { messageOf } from '@quartermaster/kernel';
import { type GpuDatabase, parseGpuOverrides } from './gpu-database.ts';

const none: GpuDatabase = new Map();

/** Local corrections of the GPU database. A text that breaks a rule changes nothing, and is reported until it is mended. */
export class GpuOverrides {
  #current: GpuDatabase | undefined;
  #text: string | undefined;
  #problem: string | undefined;

  get current(): GpuDatabase {
    return this.#current ?? none;
  }

  /** Why the newest text is ignored. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether nobody can tell what the overrides are: the only text that there has been is ignored. */
  get isUnknown(): boolean {
    return this.#current === undefined && this.#problem !== undefined;
  }

  /** Takes the place of all earlier overrides; undefined when there are none. Tells whether `current` is another one now. */
  set(text: string | undefined): boolean {
    if (text === this.#text) return false;
    this.#text = text;
    try {
      this.#current = parseGpuOverrides(text ?? '');
      this.#problem = undefined;
      return true;
    } catch (thrown) {
      this.#problem = messageOf(thrown);
      return false;
    }
  }
}

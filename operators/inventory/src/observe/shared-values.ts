import type { PodRequests } from '@quartermaster/kube';

/** More different ones than this are not worth remembering; what is in use stays as it is. */
const limit = 50_000;

/**
 * One copy of each value that many objects have in common: most pods of a cluster are like some other and live on a node with thirty others, and
 * machines are bought by the rack.
 */
export class SharedValues {
  #texts = new Map<string, string>();
  #requests = new Map<string, PodRequests>(); // all of its amounts -> requests
  #parts = new Map<string, object>(); // JSON -> part

  text(value: string): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    if (this.#texts.size >= limit) this.#texts = new Map();
    this.#texts.set(value, value);
    return value;
  }

  requests(value: PodRequests): PodRequests {
    let key = `${value.cpuMillis} ${value.memoryBytes} ${value.ephemeralStorageBytes}`;
    for (const [resource, pieces] of value.extended) key += ` ${resource}=${pieces}`;
    const known = this.#requests.get(key);
    if (known !== undefined) return known;
    if (this.#requests.size >= limit) this.#requests = new Map();
    this.#requests.set(key, value);
    return value;
  }

  /** A part of an object that came as JSON. */
  part<T extends object>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#parts.get(text);
    if (known !== undefined) return known as T;
    if (this.#parts.size >= limit) this.#parts = new Map();
    this.#parts.set(text, value);
    return value;
  }
}

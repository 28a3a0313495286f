import { noSuchResource } from '../../schema/api-status.ts';
import { compareVersions, type ServedKind } from './served-kind.ts';

export interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

/** Which kinds are served now. CRDs come and go. */
export class KindRegistry {
  readonly #kinds = new Map<string, ServedKind>(); // group/version/plural -> kind
  #changes = 0;

  /** Moves whenever the served kinds do. */
  get changes(): number {
    return this.#changes;
  }

  add(kind: ServedKind): void {
    this.#kinds.set(pathOf(kind.group, kind.version, kind.plural), kind);
    this.#changes += 1;
  }

  /** Removes every version of a CRD's kind. */
  removeDefinition(definition: string): void {
    for (const [path, kind] of this.#kinds) if (kind.custom?.definition === definition) this.#kinds.delete(path);
    this.#changes += 1;
  }

  all(): ServedKind[] {
    return [...this.#kinds.values()];
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#kinds.get(pathOf(group, version, plural));
  }

  get(group: string, version: string, plural: string): ServedKind {
    const found = this.find(group, version, plural);
    if (found === undefined) throw noSuchResource();
    return found;
  }

  /** By what an object says of itself. */
  byKind(apiVersion: string, kind: string): ServedKind | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    return this.all().find((each) => each.group === group && each.version === version && each.kind === kind);
  }

  /** Any version that reads and writes the objects of a store. */
  byStorage(storageKey: string): ServedKind | undefined {
    return this.all().find((each) => each.storageKey === storageKey && `${each.group}/${each.plural}` === storageKey);
  }

  groups(): ServedGroup[] {
    const versions = new Map<string, Set<string>>(); // group -> versions
    for (const { group, version } of this.#kinds.values()) {
      versions.set(group, (versions.get(group) ?? new Set()).add(version));
    }
    return [...versions].map(([name, found]) => ({ name, versions: [...found].sort(compareVersions) }));
  }

  inVersion(group: string, version: string): ServedKind[] {
    return this.all().filter((each) => each.group === group && each.version === version);
  }
}

const pathOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

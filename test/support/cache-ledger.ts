import type { CacheEntry, CacheListener } from '@quartermaster/kube';

/**
 * A listener that rebuilds a cache's contents from what it is told and writes down everything that cannot be: an object
 * added twice, changed or deleted without being there, changed to the same version, or to another uid.
 */
export class CacheLedger<P> implements CacheListener<P> {
  readonly objects = new Map<string, CacheEntry<P>>(); // key -> last state told
  readonly contradictions: string[] = [];
  readonly told: string[] = [];

  added(entry: CacheEntry<P>): void {
    this.told.push(`added ${entry.key}`);
    if (this.objects.has(entry.key)) this.contradictions.push(`${entry.key} was added twice`);
    this.objects.set(entry.key, entry);
  }

  updated(entry: CacheEntry<P>, before: CacheEntry<P>): void {
    this.told.push(`updated ${entry.key}`);
    const known = this.objects.get(entry.key);
    if (known === undefined) this.contradictions.push(`${entry.key} was changed before it was added`);
    if (known !== before) this.contradictions.push(`${entry.key} changed from a state that was never told`);
    if (known?.uid !== entry.uid) this.contradictions.push(`${entry.key} changed its uid`);
    if (known?.resourceVersion === entry.resourceVersion) this.contradictions.push(`${entry.key} was told twice in one version`);
    this.objects.set(entry.key, entry);
  }

  deleted(entry: CacheEntry<P>): void {
    this.told.push(`deleted ${entry.key}`);
    if (!this.objects.delete(entry.key)) this.contradictions.push(`${entry.key} was deleted without being there`);
  }

  /** What is there, as `key@resourceVersion`, sorted. */
  versions(): string[] {
    return [...this.objects.values()].map(({ key, resourceVersion }) => `${key}@${resourceVersion}`).sort();
  }
}

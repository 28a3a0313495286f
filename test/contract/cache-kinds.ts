import { startCache } from '@quartermaster/kube';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CacheLedger } from '../support/cache-ledger.ts';
import { installWidgets, removeWidgets, type Widget, widgetType } from '../support/widget.ts';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 30_000, interval: 50 };
const quickly = { firstMs: 20, maxMs: 200, factor: 2 };

/** What a cache does about a kind that comes and goes with its CRD. */
export function describeCacheKinds(server: () => ContractServer): void {
  describe('cache of a kind that comes and goes', () => {
    const running: { stop(): Promise<void> }[] = [];

    function start(type: ReturnType<typeof widgetType>): {
      cache: ReturnType<typeof startCache<Widget, number>>;
      ledger: CacheLedger<number>;
    } {
      const cache = startCache(server().client, { type, project: (widget: Widget) => widget.spec.size, backoff: quickly });
      running.push(cache);
      const ledger = new CacheLedger<number>();
      cache.subscribe(ledger);
      return { cache, ledger };
    }

    afterEach(async () => {
      await Promise.all(running.splice(0).map((cache) => cache.stop()));
    });

    it('waits for a kind that does not exist yet, and is not synced until it does', async () => {
      const type = widgetType('late.example.com');
      const { cache } = start(type);
      await vi.waitFor(() => expect(cache.status()).toMatchObject({ state: 'kind-missing', synced: false }), soon);
      expect(cache.status().lastError).toContain('is its CRD installed?');
      await installWidgets(server().client, type);
      const namespace = await server().namespace();
      await server().client.create(type, { metadata: { namespace, name: 'a' }, spec: { size: 3 } });
      await vi.waitFor(() => expect(cache.get(`${namespace}/a`)?.value).toBe(3), soon);
      // What was listed is there before the watch is open.
      await vi.waitFor(() => expect(cache.status()).toMatchObject({ state: 'watching', synced: true, lastError: undefined }), soon);
    });

    it('survives a kind that disappears, and shows what comes when it returns', async () => {
      const type = widgetType('fickle.example.com');
      const namespace = await server().namespace();
      await installWidgets(server().client, type);
      await server().client.create(type, { metadata: { namespace, name: 'old' }, spec: { size: 1 } });
      const { cache, ledger } = start(type);
      await cache.whenSynced();
      await removeWidgets(server().client, type);
      await vi.waitFor(() => expect(cache.status().state).toBe('kind-missing'), soon);
      expect(cache.status().synced).toBe(true);
      await installWidgets(server().client, type);
      await server().client.create(type, { metadata: { namespace, name: 'new' }, spec: { size: 2 } });
      await vi.waitFor(() => expect([...cache.entries()].map(({ key }) => key)).toEqual([`${namespace}/new`]), soon);
      expect(ledger.contradictions).toEqual([]);
      expect([...ledger.objects.keys()]).toEqual([`${namespace}/new`]);
    });

    it('follows status changes of a custom resource', async () => {
      const type = widgetType('status.example.com');
      const namespace = await server().namespace();
      await installWidgets(server().client, type);
      const cache = startCache(server().client, { type, project: (widget: Widget) => widget.status?.ready });
      running.push(cache);
      await cache.whenSynced();
      const ref = { namespace, name: 'a' };
      await server().client.create(type, { metadata: ref, spec: { size: 1 } });
      await server().client.patch(type, ref, { kind: 'merge', body: { status: { ready: true } } }, { subresource: 'status' });
      await vi.waitFor(() => expect(cache.get(`${namespace}/a`)?.value).toBe(true), soon);
    });
  });
}

import type { CacheOpener } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { shownObjects } from '../../test/shown-objects.ts';
import { SeenApiServers } from './seen-api-servers.ts';

/** Caches of a server that lets nobody read the kind. */
const refusing = (plural: string): CacheOpener => {
  const shown = shownObjects({ endpointslices: [], servicecidrs: [] });
  return {
    open: (options) => {
      const cache = shown.open(options);
      const refused = { synced: false, absent: false, refused: true };
      return options.type.plural === plural ? Object.assign(cache, { status: () => refused }) : cache;
    },
  };
};

describe('the API servers of the cluster', () => {
  it('say with the way out what nobody may read, since no lease is made without it', () => {
    expect(new SeenApiServers(shownObjects({ endpointslices: [], servicecidrs: [] })).problem()).toBeUndefined();
    // Not read yet is no problem by itself.
    expect(new SeenApiServers(shownObjects({})).problem()).toBeUndefined();
    for (const plural of ['endpointslices', 'servicecidrs']) {
      expect(new SeenApiServers(refusing(plural)).problem()).toMatch(new RegExp(`${plural}.*quartermaster manifests .*market-rbac`));
    }
  });
});

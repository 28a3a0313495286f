import { KubeClient } from '@quartermaster/kube';
import { describe, expect, inject, it } from 'vitest';
import { extractBuiltIn } from '../../scripts/extract-built-in.ts';
import builtIn from './vectors/built-in.json' with { type: 'json' };

describe('the schemas of the built-in kinds', () => {
  it('are what the real server says (otherwise run simulator/scripts/extract-schemas.ts)', async () => {
    const client = await KubeClient.connect({ kubeconfig: inject('sharedCluster').kubeconfig });
    try {
      expect(await extractBuiltIn((path) => client.transport.json({ what: `get ${path}`, method: 'GET', path }))).toEqual(builtIn);
    } finally {
      await client.close();
    }
  });
});

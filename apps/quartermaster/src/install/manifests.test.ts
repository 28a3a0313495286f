import { describe, expect, it } from 'vitest';
import { assembleManifests } from './manifests.ts';
import { roleDeployments } from './role-deployments.ts';

const place = { namespace: 'stock', image: 'registry.invalid/q:1' };
const assemble = async (names: readonly string[], more: object = {}) => {
  const objects = await assembleManifests(roleDeployments(names), { ...place, ...more });
  return objects.map((object) => ({ text: JSON.stringify(object), id: `${object.kind}/${object.metadata?.name}`, ...object }));
};

describe('assembleManifests', () => {
  it('begins with the namespace and the contracts, each once, and goes on with all roles', async () => {
    const ids = (await assemble([])).map(({ id }) => id);
    expect(ids.slice(0, 13)).toEqual([
      'Namespace/stock',
      'CustomResourceDefinition/nodehardwares.quartermaster.dev',
      'CustomResourceDefinition/reservations.quartermaster.dev',
      'CustomResourceDefinition/biddecisions.quartermaster.dev',
      'CustomResourceDefinition/tenantleases.quartermaster.dev',
      'CustomResourceDefinition/tenantshells.quartermaster.dev',
      'CustomResourceDefinition/hostnameclaims.quartermaster.dev',
      'CustomResourceDefinition/addressclaims.quartermaster.dev',
      'CustomResourceDefinition/manifests.akash.network',
      'CustomResourceDefinition/providerhosts.akash.network',
      'CustomResourceDefinition/providerleasedips.akash.network',
      'ValidatingAdmissionPolicy/node-hardware.quartermaster.dev',
      'ValidatingAdmissionPolicyBinding/node-hardware.quartermaster.dev',
    ]);
    expect(ids).toEqual(
      expect.arrayContaining([
        'Deployment/quartermaster-fulfillment',
        'Deployment/quartermaster-market',
        'Deployment/quartermaster-inventory',
        'Deployment/quartermaster-cluster',
        'DaemonSet/quartermaster-discovery',
      ]),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index && !id.startsWith('Role'))).toEqual([]);
  });

  it('has only what the named roles need', async () => {
    const [namespace, ...others] = (await assemble(['service-fulfillment', 'service-fulfillment'])).map(({ id }) => id);
    expect(namespace).toBe('Namespace/stock');
    expect(others).toHaveLength(5);
    expect(others.filter((id) => !id.endsWith('/quartermaster-fulfillment'))).toEqual([]);
  });

  it('puts everything into the namespace and under the image that are wanted, and leaves other names alone', async () => {
    const objects = await assemble([]);
    const foreign = objects.filter(({ metadata }) => !['stock', undefined].includes(metadata?.namespace)).map(({ id }) => id);
    expect(foreign).toEqual([
      ...['Role/quartermaster-inventory-events', 'RoleBinding/quartermaster-inventory-events'],
      // For the Lease of its leader, of which the cluster has one.
      ...['Role/quartermaster-cluster', 'RoleBinding/quartermaster-cluster'],
    ]);
    const text = objects.map((each) => each.text).join('\n');
    expect(text).not.toContain('"namespace":"quartermaster"');
    expect(text).not.toContain('"image":"quartermaster"');
    expect(text).toContain('"app.kubernetes.io/part-of":"quartermaster"');
  });

  it('adds optional parts when they are asked for, in the namespaces that they are meant for', async () => {
    const additions = ['a', 'b'].map((ceph) => ({ file: 'ceph-toolbox-rbac', namespaces: { 'rook-ceph': ceph } }));
    const added = (await assemble(['operator-inventory'], { additions })).filter(({ id }) => id.includes('toolbox'));
    expect(added.map(({ kind, metadata }) => `${metadata?.namespace} ${kind}`)).toEqual([
      'a Role',
      'a RoleBinding',
      'b Role',
      'b RoleBinding',
    ]);
    expect(added[1]?.text).toContain('"name":"quartermaster-inventory","namespace":"stock"');
    expect((await assemble([])).filter(({ id }) => id.includes('toolbox') || id === 'ClusterRole/quartermaster-fulfillment')).toEqual([]);
  });

  it('has agents measure further folders beside the usual ones, and changes nothing where none is named', async () => {
    const argsOf = async (more: object) => (await assemble([], more)).find(({ kind }) => kind === 'DaemonSet')?.text ?? '';
    expect(await argsOf({})).not.toContain('discovery-paths');
    expect(await argsOf({ discoveryPaths: ['/data/volumes', '/var/openebs/local'] })).toContain(
      '"--discovery-paths=/opt/local-path-provisioner,/var/lib/rancher/k3s/storage,/var/openebs/local,/var/lib/longhorn,/data/volumes"',
    );
  });

  it('names the Service of an addition in the namespace that is wanted, where a provider looks for it', async () => {
    const objects = await assemble(['operator-inventory'], { additions: [{ file: 'akash-provider' }] });
    const found = objects.filter(({ metadata }) => metadata?.namespace === 'akash-services');
    expect(found).toMatchObject([
      {
        kind: 'Service',
        metadata: {
          labels: {
            'app.kubernetes.io/name': 'inventory',
            'app.kubernetes.io/instance': 'inventory-service',
            'app.kubernetes.io/component': 'operator',
            'app.kubernetes.io/part-of': 'provider',
          },
        },
        spec: { externalName: 'quartermaster-inventory-akash.stock.svc.cluster.local', ports: [{ name: 'grpc', port: 8083 }] },
      },
    ]);
    const policy = objects.find(({ id }) => id === 'NetworkPolicy/quartermaster-inventory-akash');
    expect(policy?.text).toContain('"kubernetes.io/metadata.name":"akash-services"');
    expect(JSON.stringify(await assemble(['operator-inventory']))).not.toContain('8083');
  });

  it('mounts the token of an account only with the part that gives the account a right', async () => {
    const accountOf = async (additions: readonly object[]) => {
      const objects = await assemble(['service-fulfillment'], { additions });
      const ids = objects.map(({ id }) => id);
      expect(ids.indexOf('ServiceAccount/quartermaster-fulfillment')).toBeLessThan(ids.indexOf('Deployment/quartermaster-fulfillment'));
      expect(new Set(ids).size).toBe(ids.length);
      return objects.find(({ kind }) => kind === 'ServiceAccount');
    };
    expect(await accountOf([])).toMatchObject({ automountServiceAccountToken: false });
    expect(await accountOf([{ file: 'token-review-rbac' }])).toMatchObject({
      automountServiceAccountToken: true,
      metadata: { namespace: 'stock' },
    });
  });

  it('says which roles and which parts there are', async () => {
    expect(() => roleDeployments(['operator-inventroy'])).toThrow('did you mean operator-inventory?');
    expect(() => roleDeployments(['x'])).toThrow(
      'there are service-fulfillment, service-market, operator-inventory, service-cluster, discovery',
    );
    const additions = [{ file: 'token-review-rbac' }];
    await expect(assemble(['discovery'], { additions })).rejects.toThrow('these roles have none');
    await expect(assemble([], { additions: [{ file: 'x' }] })).rejects.toThrow(
      'there are token-review-rbac, market-token-review-rbac, ceph-toolbox-rbac, akash-provider',
    );
  });
});

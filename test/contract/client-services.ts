import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { refusedFields } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

type Service = NonNullable<(typeof kinds.services)['shape']>;
type ServiceSpec = NonNullable<Service['spec']>;

const web = { name: 'web', port: 80 };

/** The addresses and ports that the server gives Services, and how long they stay theirs. */
export function describeServices(server: () => ContractServer): void {
  const applying = async (): Promise<(spec: ServiceSpec) => Promise<ServiceSpec>> => {
    const namespace = await server().namespace();
    return async (spec) => {
      const service: Service = { metadata: { namespace, name: 'web' }, spec: { selector: { app: 'web' }, ports: [web], ...spec } };
      return (await server().client.apply(kinds.services, service, { fieldManager: 'contract' })).spec ?? {};
    };
  };
  const nodePorts = ({ ports = [] }: ServiceSpec): (number | undefined)[] => ports.map(({ nodePort }) => nodePort);

  describe('a service', () => {
    it('of type NodePort keeps its address and port when it is applied again without them', async () => {
      const apply = await applying();
      const first = await apply({ type: 'NodePort' });
      expect(nodePorts(first)).toEqual([expect.any(Number)]);
      const second = await apply({ type: 'NodePort', selector: { app: 'other' } });
      expect(second).toEqual({ ...first, selector: { app: 'other' } });
    });

    it('of type NodePort keeps its port when another joins it, which gets its own', async () => {
      const apply = await applying();
      const [first] = nodePorts(await apply({ type: 'NodePort' }));
      const [kept, added] = nodePorts(await apply({ type: 'NodePort', ports: [web, { name: 'admin', port: 81 }] }));
      expect([kept, added]).toEqual([first, expect.any(Number)]);
      expect(added).not.toBe(first);
    });

    it('keeps its address and port when it is replaced by an object that lacks them', async () => {
      const namespace = await server().namespace();
      const wanted: Service = { metadata: { namespace, name: 'web' }, spec: { type: 'NodePort', selector: { app: 'web' }, ports: [web] } };
      const { spec } = await server().client.create(kinds.services, wanted);
      expect((await server().client.replace(kinds.services, wanted)).spec).toEqual(spec);
    });

    it('gets ports of nodes when it comes to need them, and loses them when it does not', async () => {
      const apply = await applying();
      const plain = await apply({});
      expect(nodePorts(plain)).toEqual([undefined]);
      expect(nodePorts(await apply({ type: 'NodePort' }))).toEqual([expect.any(Number)]);
      expect(await apply({ type: 'ClusterIP' })).toEqual(plain);
    });

    it('of type LoadBalancer gets no ports of nodes when it wants none', async () => {
      const apply = await applying();
      const balanced = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false };
      expect(nodePorts(await apply(balanced))).toEqual([undefined]);
      expect(nodePorts(await apply({ ...balanced, selector: { app: 'other' } }))).toEqual([undefined]);
      const { allocateLoadBalancerNodePorts: _, ...asking } = balanced;
      const allocated = await apply(asking);
      expect(allocated.allocateLoadBalancerNodePorts).toBe(true);
      expect(nodePorts(allocated)).toEqual([expect.any(Number)]);
    });

    it('of another type may not say whether a load balancer has ports of nodes', async () => {
      const apply = await applying();
      const refused = apply({ type: 'NodePort', allocateLoadBalancerNodePorts: false });
      expect(await refusedFields(refused)).toEqual(['spec.allocateLoadBalancerNodePorts']);
    });
  });
}

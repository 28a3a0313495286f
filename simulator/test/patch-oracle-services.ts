import type { JsonObject } from '../src/schema/index.ts';
import { apply, type Cases, create, merge, status, strategic } from './patch-oracle-steps.ts';

const servicePort = (number: number, more: JsonObject = {}) => ({
  port: number,
  targetPort: number,
  protocol: 'TCP',
  name: `p${number}`,
  ...more,
});
const service = (fields: JsonObject): JsonObject => ({
  spec: {
    clusterIP: 'None',
    clusterIPs: ['None'],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...fields,
  },
});

export const serviceCases: Cases = {
  create: [create(service({ ports: [servicePort(80)], selector: { a: 'b' } }))],
  'strategic patch: ports by number': [
    create(service({ ports: [servicePort(80), servicePort(81)] })),
    strategic({ spec: { ports: [{ port: 81, name: 'other' }] } }),
  ],
  'strategic patch: status': [
    create(service({ ports: [servicePort(80)] })),
    status(
      strategic({
        status: { conditions: [{ type: 'A', status: 'True', reason: 'X', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
    ),
  ],
  'apply: ports of two managers': [
    apply('one', service({ ports: [servicePort(80)], selector: { a: 'b' } })),
    apply('two', { spec: { ports: [servicePort(443)], selector: { c: 'd' } } }),
    apply('two', { spec: { ports: [servicePort(443)], selector: { c: 'd' } } }, true),
    apply('one', service({})),
  ],
  'merge patch: selector': [
    create(service({ ports: [servicePort(80)], selector: { a: 'b' } })),
    merge({ spec: { selector: { c: 'd', a: null } } }),
  ],
};

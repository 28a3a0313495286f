import type { JsonObject } from '../src/schema/index.ts';
import { apply, type Cases, create, merge, strategic } from './patch-oracle-steps.ts';

const container = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'registry.example/main',
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...more,
});

const pods = (fields: JsonObject): JsonObject => ({ template: { metadata: { labels: { app: 'web' } }, spec: fields } });
const complete = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const port = (containerPort: number, protocol = 'TCP') => ({ containerPort, protocol });
const template = create(
  pods({
    ...complete,
    containers: [
      container('main', {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [port(80), port(53, 'UDP')],
      }),
      container('side'),
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  }),
);
export const threeContainers = create(pods({ ...complete, containers: ['m', 'n', 'o'].map((name) => container(name)) }));
const inTemplate = (fields: JsonObject): JsonObject => ({ template: { spec: fields } });

export const podTemplateCases: Cases = {
  create: [template],
  'create with little': [create(pods({ ...complete, containers: [container('main')] }))],
  'strategic patch: an item by its key': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', image: 'registry.example/other' }] })),
  ],
  'strategic patch: a new item goes in front': [template, strategic(inTemplate({ containers: [container('new')] }))],
  'strategic patch: items in another order': [template, strategic(inTemplate({ containers: [{ name: 'side' }, { name: 'main' }] }))],
  'strategic patch: deletes an item': [template, strategic(inTemplate({ containers: [{ name: 'side', $patch: 'delete' }] }))],
  'strategic patch: deletes an item that is not there': [
    template,
    strategic(inTemplate({ containers: [{ name: 'nobody', $patch: 'delete' }] })),
  ],
  'strategic patch: replaces a list': [template, strategic(inTemplate({ containers: [container('only'), { $patch: 'replace' }] }))],
  'strategic patch: an item that replaces the list': [
    template,
    strategic(inTemplate({ volumes: [{ name: 'scratch', $patch: 'replace' }] })),
  ],
  'strategic patch: an item without its key': [template, strategic(inTemplate({ containers: [{ image: 'x' }] }))],
  'strategic patch: a deletion without its key': [template, strategic(inTemplate({ containers: [{ $patch: 'delete' }] }))],
  'strategic patch: an unknown directive in an item': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', $patch: 'twist' }] })),
  ],
  'strategic patch: merge as a directive': [template, strategic(inTemplate({ containers: [{ name: 'main', $patch: 'merge' }] }))],
  'strategic patch: the order of items': [
    template,
    strategic(inTemplate({ '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] })),
  ],
  'strategic patch: the order with a change': [
    template,
    strategic(
      inTemplate({
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
        containers: [{ name: 'main', image: 'registry.example/other' }],
      }),
    ),
  ],
  'strategic patch: the order with a deletion': [
    template,
    strategic(inTemplate({ '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'side', $patch: 'delete' }] })),
  ],
  'strategic patch: environment': [
    template,
    strategic(
      inTemplate({
        containers: [
          {
            name: 'main',
            env: [
              { name: 'C', value: '3' },
              { name: 'A', value: null },
              { name: 'B', $patch: 'delete' },
            ],
          },
        ],
      }),
    ),
  ],
  'strategic patch: ports by number': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, name: 'web' }] }] })),
  ],
  'strategic patch: a list that is replaced': [template, strategic(inTemplate({ tolerations: [{ key: 'b', operator: 'Exists' }] }))],
  'strategic patch: volumes retain their keys': [
    template,
    strategic(inTemplate({ volumes: [{ name: 'scratch', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x', type: '' } }] })),
  ],
  'strategic patch: removes a map': [template, strategic({ template: { metadata: { labels: null } } })],
  'strategic patch: removes a list': [template, strategic(inTemplate({ volumes: null }))],
  'strategic patch: nested directives in something new': [template, strategic(inTemplate({ nodeSelector: { a: 'b', c: null } }))],
  'merge patch: replaces a list of containers': [template, merge(inTemplate({ containers: [container('only')] }))],
  'apply: creates': [apply('one', pods({ ...complete, containers: [container('main')] }))],
  'apply: shares containers': [
    apply('one', pods({ ...complete, containers: [container('main')] })),
    apply('two', inTemplate({ containers: [{ name: 'main', env: [{ name: 'A', value: '1' }] }] })),
    apply('one', pods({ ...complete, containers: [container('main', { workingDir: '/w' })] })),
    apply('two', inTemplate({ containers: [{ name: 'main' }] })),
  ],
  'apply: ports with and without protocol': [
    apply('one', pods({ ...complete, containers: [container('main', { ports: [port(80)] })] })),
    apply('two', inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, name: 'web' }] }] })),
    apply('two', inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, protocol: 'UDP', name: 'web' }] }] })),
  ],
  'apply: conflict deep inside': [template, apply('two', inTemplate({ containers: [{ name: 'main', image: 'registry.example/other' }] }))],
  'apply: conflict on an item': [template, apply('two', inTemplate({ containers: [{ name: 'main', env: [{ name: 'A', value: '9' }] }] }))],
  'apply: tolerations are atomic': [
    template,
    apply('two', inTemplate({ containers: [{ name: 'main' }], tolerations: [{ key: 'c', operator: 'Exists' }] })),
  ],
  'apply: quantities': [
    apply(
      'one',
      pods({ ...complete, containers: [container('main', { resources: { requests: { cpu: '500m' }, limits: { memory: '1Gi' } } })] }),
    ),
    apply('two', inTemplate({ containers: [{ name: 'main', resources: { limits: { cpu: '2' } } }] })),
  ],
  'apply: unknown field': [template, apply('two', inTemplate({ containers: [{ name: 'main' }], bogus: 1 }))],
  'apply: wrong type': [template, apply('two', inTemplate({ containers: 'main' }))],
  'apply: wrong scalar': [template, apply('two', inTemplate({ containers: [{ name: 'main', tty: 'yes' }] }))],
  'apply: doubled containers': [template, apply('two', inTemplate({ containers: [{ name: 'main' }, { name: 'main' }] }))],
};

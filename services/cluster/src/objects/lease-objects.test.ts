import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { expose, leaseContent, named, namesOf, service, settings, unitOf } from '../../test/lease-content.ts';
import { a100, Gi, t4 } from '../../test/sample-facts.ts';
import { leaseObjects } from './lease-objects.ts';
import { namespaceObject } from './namespace-object.ts';

const leaseLabels = {
  'akash.network/lease.id.owner': 'alice',
  'akash.network/lease.id.dseq': '7',
  'akash.network/lease.id.gseq': '1',
  'akash.network/lease.id.oseq': '2',
  'akash.network/lease.id.provider': 'acme',
};
const baseLabels = { 'akash.network': 'true', 'akash.network/namespace': 'lease-alice-7-1-2' };
const selector = { ...baseLabels, 'akash.network/manifest-service': 'web' };

const podOf = (objects: ReturnType<typeof leaseObjects>, name = 'web') => named(objects, kinds.deployments, name).spec?.template;
const containerOf = (objects: ReturnType<typeof leaseObjects>, name = 'web') => podOf(objects, name)?.spec?.containers[0];

describe('the namespace', () => {
  it('says whose it is and keeps pods to the baseline of Pod Security', () => {
    expect(namespaceObject(leaseContent([])).object).toMatchObject({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'lease-alice-7-1-2',
        labels: {
          ...baseLabels,
          ...leaseLabels,
          'pod-security.kubernetes.io/enforce': 'baseline',
          'pod-security.kubernetes.io/enforce-version': 'latest',
          'pod-security.kubernetes.io/warn': 'baseline',
          'pod-security.kubernetes.io/warn-version': 'latest',
          'pod-security.kubernetes.io/audit': 'baseline',
          'pod-security.kubernetes.io/audit-version': 'latest',
        },
        annotations: leaseLabels,
      },
    });
  });
});

describe('a service without volumes', () => {
  it('is a Deployment that never has a pod more than was reserved', () => {
    const deployment = named(leaseObjects(leaseContent([service()])), kinds.deployments, 'web');
    expect(deployment).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'lease-alice-7-1-2', labels: { ...selector, ...leaseLabels } },
      spec: {
        replicas: 2,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        template: { metadata: { labels: { ...selector, ...leaseLabels } } },
      },
    });
    expect(deployment.spec?.selector).toEqual({ matchLabels: selector });
  });

  it('has pods that wait for their place, with root but no privileges, no token and no variables of other Services', () => {
    const { spec } = podOf(leaseObjects(leaseContent([service()]))) ?? {};
    expect({ ...spec, containers: [] }).toEqual({
      schedulingGates: [{ name: 'quartermaster.dev/placement' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'akash.network', operator: 'In', values: ['true'] }] }],
          },
        },
      },
      serviceAccountName: 'web',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: false, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [],
    });
  });

  it('has one container, as the manifest says', () => {
    const exposes = [expose(), expose({ externalPort: 8080, global: false }), expose({ port: 53, externalPort: 0, protocol: 'UDP' })];
    const web = service({ command: ['/bin/sh'], args: ['-c', 'nginx'], exposes });
    expect(containerOf(leaseObjects(leaseContent([web])))).toEqual({
      name: 'web',
      image: 'nginx:1.29',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/sh'],
      args: ['-c', 'nginx'],
      env: expect.any(Array),
      ports: [
        { containerPort: 8080, protocol: 'TCP' },
        { containerPort: 53, protocol: 'UDP' },
      ],
      resources: {
        requests: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '5Gi' },
        limits: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '5Gi' },
      },
      securityContext: {
        privileged: false,
        allowPrivilegeEscalation: false,
        runAsNonRoot: false,
        capabilities: { drop: ['NET_RAW'] },
      },
      terminationMessagePolicy: 'FallbackToLogsOnError',
    });
  });

  it('requests what is reserved and is limited to what was ordered', () => {
    const web = service();
    const units = [unitOf(web, { cpuMillis: 1000, memoryBytes: Gi / 2, ephemeralBytes: 2.5 * Gi })];
    expect(containerOf(leaseObjects(leaseContent([web], { plan: { units, ports: 0, ips: 0 } })))?.resources).toEqual({
      requests: { cpu: '1', memory: '512Mi', 'ephemeral-storage': '2560Mi' },
      limits: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '5Gi' },
    });
  });

  it('mounts ephemeral volumes by their size, and sums up those that are not mounted', () => {
    const volumes = [
      { name: 'default', bytes: Gi, kind: 'ephemeral', class: '' },
      { name: 'scratch', bytes: 3 * Gi, kind: 'ephemeral', class: '' },
    ] as const;
    const mounts = [{ volume: 'scratch', path: '/scratch', readOnly: true }];
    const objects = leaseObjects(leaseContent([service({ resources: { volumes }, mounts })]));
    expect(podOf(objects)?.spec?.volumes).toEqual([{ name: 'web-scratch', emptyDir: { sizeLimit: '3Gi' } }]);
    expect(containerOf(objects)?.volumeMounts).toEqual([{ name: 'web-scratch', mountPath: '/scratch', readOnly: true }]);
    expect(containerOf(objects)?.resources?.limits).toMatchObject({ 'ephemeral-storage': '4Gi' });
  });

  it('cannot fill the disk of its node where it ordered none of it, and takes none that is sold', () => {
    const volumes = [{ name: 'data', bytes: Gi, kind: 'ram', class: '' }] as const;
    const { requests, limits } = containerOf(leaseObjects(leaseContent([service({ resources: { volumes } })])))?.resources ?? {};
    // Without a request of its own the API server would make the limit one.
    expect(requests).toEqual({ cpu: '1500m', memory: '2Gi', 'ephemeral-storage': '0' });
    expect(limits).toEqual({ cpu: '1500m', memory: '2Gi', 'ephemeral-storage': '64Mi' });
  });

  it('requests the memory of RAM volumes, and says so', () => {
    const volumes = [{ name: 'shm', bytes: 2 * Gi, kind: 'ram', class: '' }] as const;
    const objects = leaseObjects(
      leaseContent([service({ resources: { volumes }, mounts: [{ volume: 'shm', path: '/dev/shm', readOnly: false }] })]),
    );
    expect(podOf(objects)?.metadata?.annotations).toMatchObject({ 'quartermaster.dev/ram-in-requests': 'true' });
    expect(podOf(objects)?.spec?.volumes).toEqual([{ name: 'web-shm', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }]);
    expect(containerOf(objects)?.volumeMounts).toEqual([{ name: 'web-shm', mountPath: '/dev/shm' }]);
    expect(containerOf(objects)?.resources).toMatchObject({
      requests: { cpu: '1500m', memory: '3Gi' },
      limits: { cpu: '1500m', memory: '3Gi' },
    });
    expect(podOf(leaseObjects(leaseContent([service()])))?.metadata?.annotations).not.toHaveProperty(['quartermaster.dev/ram-in-requests']);
  });
});

describe('a service with persistent volumes', () => {
  const volumes = [{ name: 'data', bytes: 10 * Gi, kind: 'persistent', class: 'beta3' }] as const;
  const database = service({ name: 'db', resources: { volumes }, mounts: [{ volume: 'data', path: '/var/lib/db', readOnly: false }] });

  it('is a StatefulSet whose claims are of the class that was planned', () => {
    const objects = leaseObjects(leaseContent([database]));
    expect(namesOf(objects, kinds.deployments)).toEqual([]);
    const labels = { ...baseLabels, 'akash.network/manifest-service': 'db' };
    expect(named(objects, kinds.statefulSets, 'db')).toMatchObject({
      apiVersion: 'apps/v1',
      spec: {
        replicas: 2,
        serviceName: 'db',
        revisionHistoryLimit: 1,
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        selector: { matchLabels: labels },
        volumeClaimTemplates: [
          {
            metadata: { name: 'db-data', labels },
            spec: {
              accessModes: ['ReadWriteOnce'],
              volumeMode: 'Filesystem',
              storageClassName: 'ceph-nvme',
              resources: { requests: { storage: '10Gi' } },
            },
          },
        ],
      },
    });
  });

  it('goes to nodes that can use the class', () => {
    const { template } = named(leaseObjects(leaseContent([database])), kinds.statefulSets, 'db').spec ?? {};
    expect(template?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([
      {
        matchExpressions: [
          { key: 'akash.network', operator: 'In', values: ['true'] },
          { key: 'akash.network/capabilities.storage.class.ceph-nvme', operator: 'Exists' },
        ],
      },
    ]);
    expect(template?.spec?.containers[0]?.volumeMounts).toEqual([{ name: 'db-data', mountPath: '/var/lib/db' }]);
    expect(template?.spec).not.toHaveProperty('volumes');
  });

  it('has a name that leaves room for that of its revisions', () => {
    const name = `${'d'.repeat(62)}b`;
    const [statefulSet = ''] = namesOf(leaseObjects(leaseContent([{ ...database, name }])), kinds.statefulSets);
    expect(statefulSet).toMatch(/^d+-[0-9a-f]{10}$/);
    expect(statefulSet.length).toBe(52);
  });
});

describe('a service with GPUs', () => {
  interface Cards {
    readonly resource: string;
    readonly groups: readonly (typeof a100)[];
  }
  const ordered = (gpuAttributes: readonly string[], replicas: readonly Cards[]) => {
    const trainer = service({ resources: { gpus: 2, gpuAttributes } });
    const cards = replicas.map((each, at) => ({ node: `node-${at}`, uid: `uid-${at}`, cards: { ...each, group: undefined, count: 2 } }));
    return leaseContent([trainer], { plan: { units: [unitOf(trainer, { replicas: cards })], ports: 0, ips: 0 } });
  };
  const withCards = (...replicas: readonly Cards[]) => ordered(['vendor/nvidia/model/a100/ram/80Gi'], replicas);
  const plugin = { resource: 'nvidia.com/gpu', groups: [a100] };
  const claimed = { resource: 'gpu.nvidia.com', groups: [a100] };
  const models = (content: ReturnType<typeof withCards>): readonly string[] =>
    podOf(leaseObjects(content))
      ?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchExpressions?.map(
        ({ key }) => key,
      )
      .filter((key) => key.includes('gpu')) ?? [];

  it('asks the device plugin for as many as were ordered, with the runtime class of NVIDIA', () => {
    const objects = leaseObjects(withCards(plugin, plugin));
    expect(containerOf(objects)?.resources?.requests).toMatchObject({ 'nvidia.com/gpu': '2' });
    expect(containerOf(objects)?.resources?.limits).toMatchObject({ 'nvidia.com/gpu': '2' });
    expect(podOf(objects)?.spec).toMatchObject({ runtimeClassName: 'nvidia' });
    expect(namesOf(objects, kinds.resourceClaimTemplates)).toEqual([]);
  });

  it('has no runtime class where its cards are of another vendor, or the provider has none', () => {
    const amd = { resource: 'amd.com/gpu', groups: [{ ...a100, vendor: 'amd', model: 'mi210' }] };
    expect(podOf(leaseObjects(withCards(amd)))?.spec).not.toHaveProperty('runtimeClassName');
    const content = { ...withCards(plugin), settings: { ...settings, gpuRuntimeClass: '' } };
    expect(podOf(leaseObjects(content))?.spec).not.toHaveProperty('runtimeClassName');
  });

  it('goes to nodes with the model, where one was ordered and a label can name it', () => {
    expect(models(withCards(plugin, plugin))).toEqual(['akash.network/capabilities.gpu.vendor.nvidia.model.a100']);
    expect(models(ordered(['vendor/nvidia/model/*'], [plugin, plugin]))).toEqual([]);
    expect(models(ordered(['vendor/nvidia/model/a100', 'vendor/nvidia/model/t4'], [plugin, plugin]))).toEqual([]);
    // 37 characters before the model, so that 26 are left.
    const longest = 'm'.repeat(26);
    expect(models(withCards({ ...plugin, groups: [{ ...a100, model: longest }] }))).toHaveLength(1);
    expect(models(withCards({ ...plugin, groups: [{ ...a100, model: `${longest}m` }] }))).toEqual([]);
  });

  it('claims cards of a driver that hands them out by claims, with the memory that was ordered', () => {
    const objects = leaseObjects(withCards(claimed, claimed));
    const [name = ''] = namesOf(objects, kinds.resourceClaimTemplates);
    expect(name).toMatch(/^web-gpus-[0-9a-f]{10}$/);
    expect(named(objects, kinds.resourceClaimTemplates, name)).toMatchObject({
      apiVersion: 'resource.k8s.io/v1',
      spec: {
        spec: {
          devices: {
            requests: [
              {
                name: 'gpus',
                exactly: {
                  deviceClassName: 'gpu.nvidia.com',
                  allocationMode: 'ExactCount',
                  count: 2,
                  selectors: [
                    {
                      cel: {
                        expression:
                          '!("memory" in device.capacity["gpu.nvidia.com"]) || (device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("85362475008")) >= 0 && device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("86436216832")) < 0)',
                      },
                    },
                  ],
                },
              },
            ],
          },
        },
      },
    });
    expect(podOf(objects)?.spec?.resourceClaims).toEqual([{ name: 'gpus', resourceClaimTemplateName: name }]);
    expect(containerOf(objects)?.resources?.claims).toEqual([{ name: 'gpus' }]);
    expect(containerOf(objects)?.resources?.limits).toEqual({ cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '5Gi' });
  });

  it.each([
    ['any model', ['vendor/nvidia/model/*']],
    ['one of two models', ['vendor/nvidia/model/a100', 'vendor/nvidia/model/t4']],
  ])('keeps its pods when some are planned anew with other cards, where %s was ordered', (_, attributes) => {
    for (const cards of [plugin, claimed]) {
      const before = leaseObjects(ordered(attributes, [cards, cards]));
      expect(leaseObjects(ordered(attributes, [cards, { ...cards, groups: [t4] }]))).toEqual(before);
    }
  });

  it('leaves the memory to the plan where none was ordered', () => {
    const objects = leaseObjects(ordered(['vendor/nvidia/model/a100'], [claimed]));
    const template = named(objects, kinds.resourceClaimTemplates, namesOf(objects, kinds.resourceClaimTemplates)[0] ?? '');
    expect(template.spec.spec.devices?.requests?.[0]?.exactly).toEqual({
      deviceClassName: 'gpu.nvidia.com',
      allocationMode: 'ExactCount',
      count: 2,
    });
  });

  it('is refused where pods that are alike would need different resources', () => {
    expect(() => leaseObjects(withCards(plugin, claimed))).toThrow(
      'service web has GPUs that are reserved as gpu.nvidia.com and nvidia.com/gpu',
    );
  });
});

describe('services that are called like what is made of others', () => {
  const env = [{ name: 'PASSWORD', value: 'x' }];
  const credentials = { host: 'ghcr.io', username: 'alice', password: 'hunter2', email: '' };
  const exposes = [expose({ externalPort: 25 }), expose({ ip: 'front' })];

  it('have Secrets of their own', () => {
    const services = [service({ name: 'docker-creds-web', env }), service({ name: 'web-env', credentials })];
    expect(namesOf(leaseObjects(leaseContent(services)), kinds.secrets)).toEqual(['docker-creds-web.env', 'docker-creds-web-env']);
    const short = [service({ name: 'docker-creds', env }), service({ name: 'env', credentials })];
    expect(namesOf(leaseObjects(leaseContent(short)), kinds.secrets)).toEqual(['docker-creds.env', 'docker-creds-env']);
  });

  it('have policies of their own', () => {
    const services = [
      service({ name: 'apiserver-web', exposes }),
      service({ name: 'web-ip', permissions: ['logs'] }),
      service({ name: 'web-np', permissions: ['logs'] }),
    ];
    expect(namesOf(leaseObjects(leaseContent(services)), kinds.networkPolicies)).toEqual([
      'akash-deployment-restrictions',
      'akash-apiserver-web.np',
      'akash-apiserver-web.ip',
      'akash-apiserver-web-ip',
      'akash-apiserver-web-np',
    ]);
    const short = [
      service({ name: 'apiserver', exposes }),
      service({ name: 'np', permissions: ['logs'] }),
      service({ name: 'ip', permissions: ['logs'] }),
    ];
    expect(namesOf(leaseObjects(leaseContent(short)), kinds.networkPolicies)).toEqual([
      'akash-deployment-restrictions',
      'akash-apiserver.np',
      'akash-apiserver.ip',
      'akash-apiserver-np',
      'akash-apiserver-ip',
    ]);
  });
});

describe('a manifest that the reservation is not for', () => {
  it('is refused by the name of the service', () => {
    const plan = { units: [], ports: 0, ips: 0 };
    expect(() => leaseObjects(leaseContent([service()], { plan }))).toThrow('service web has resources 1, for which nothing is reserved');
  });
});

describe('the quota', () => {
  const hard = (content: Parameters<typeof leaseObjects>[0]) =>
    named(leaseObjects(content), kinds.resourceQuotas, 'akash-reservation').spec?.hard;

  it('is what was reserved and one more of each Deployment while one ends, and nothing of what was not ordered', () => {
    expect(hard(leaseContent([service()]))).toEqual({
      pods: '3',
      'requests.cpu': '4500m',
      'limits.cpu': '4500m',
      'requests.memory': '3Gi',
      'limits.memory': '3Gi',
      'requests.ephemeral-storage': '15Gi',
      'limits.ephemeral-storage': '15Gi',
      'requests.storage': '0',
      persistentvolumeclaims: '0',
      'services.nodeports': '0',
      'services.loadbalancers': '0',
      'requests.nvidia.com/gpu': '0',
      'requests.amd.com/gpu': '0',
    });
  });

  it('sums up services, with volumes, cards, ports and addresses', () => {
    const volumes = [{ name: 'data', bytes: 10 * Gi, kind: 'persistent', class: 'beta3' }] as const;
    const [web, db, gpu] = [
      service({ exposes: [expose({ port: 25, externalPort: 25 }), expose({ ip: 'mail' }), expose({ ip: 'mail', protocol: 'UDP' })] }),
      service({ name: 'db', resources: { id: 2, volumes } }),
      service({ name: 'gpu', count: 3, resources: { id: 3, gpus: 2 } }),
    ];
    const cards = { resource: 'nvidia.com/gpu', group: undefined, count: 2, groups: [a100] };
    const units = [unitOf(web, { cpuMillis: 750 }), unitOf(db), unitOf(gpu, { cards })];
    expect(hard(leaseContent([web, db, gpu], { plan: { units, ports: 1, ips: 1 } }))).toMatchObject({
      pods: '9',
      'requests.cpu': '11250m',
      'limits.cpu': '13500m',
      // Of db what every container may write, which nobody has ordered and no one is sold.
      'requests.ephemeral-storage': '35Gi',
      'limits.ephemeral-storage': '35968Mi',
      'requests.storage': '20Gi',
      persistentvolumeclaims: '2',
      'services.nodeports': '1',
      'services.loadbalancers': '2',
      'requests.nvidia.com/gpu': '8',
    });
  });

  it('counts cards that are claimed by their class of devices', () => {
    const gpu = service({ resources: { gpus: 4 } });
    const cards = { resource: 'gpu.nvidia.com', group: 'nvidia/a100/sxm4/80gi', count: 4, groups: [a100] };
    const plan = { units: [unitOf(gpu, { cards })], ports: 0, ips: 0 };
    expect(hard(leaseContent([gpu], { plan }))).toMatchObject({
      'gpu.nvidia.com.deviceclass.resource.k8s.io/devices': '12',
      'requests.nvidia.com/gpu': '0',
    });
  });
});

describe('accounts', () => {
  it('have no rights and no token where nothing was asked for', () => {
    const objects = leaseObjects(leaseContent([service()]));
    expect(named(objects, kinds.serviceAccounts, 'web')).toMatchObject({ automountServiceAccountToken: false });
    expect([...namesOf(objects, kinds.roles), ...namesOf(objects, kinds.roleBindings)]).toEqual([]);
  });

  it('may read of their own lease what the manifest says', () => {
    const all = leaseObjects(leaseContent([service({ permissions: ['deployment', 'events', 'logs'] })]));
    expect(named(all, kinds.roles, 'web').rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['get', 'list', 'watch'] },
    ]);
    expect(named(all, kinds.roleBindings, 'web')).toMatchObject({
      metadata: { labels: { ...selector, ...leaseLabels } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' },
      subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'lease-alice-7-1-2' }],
    });
    expect(podOf(all)?.spec?.automountServiceAccountToken).toBe(true);
    const events = leaseObjects(leaseContent([service({ permissions: ['events'] })]));
    expect(named(events, kinds.roles, 'web').rules?.map(({ resources }) => resources)).toEqual([['events']]);
  });
});

describe('registry credentials', () => {
  const credentials = { host: ' ghcr.io ', username: 'alice', password: 'hunter2\n', email: 'a@example.com' };

  it('are a Secret that the pods of the service pull with', () => {
    const objects = leaseObjects(leaseContent([service({ credentials })], { settings: { ...settings, pullSecret: 'provider-wide' } }));
    const secret = named(objects, kinds.secrets, 'docker-creds-web');
    expect(secret.type).toBe('kubernetes.io/dockerconfigjson');
    expect(JSON.parse(Buffer.from(secret.data?.['.dockerconfigjson'] ?? '', 'base64').toString())).toEqual({
      auths: { 'ghcr.io': { username: 'alice', password: 'hunter2', email: 'a@example.com', auth: 'YWxpY2U6aHVudGVyMg==' } },
    });
    expect(podOf(objects)?.spec?.imagePullSecrets).toEqual([{ name: 'docker-creds-web' }]);
  });

  it('are those of the provider where the service has none', () => {
    const objects = leaseObjects(leaseContent([service()], { settings: { ...settings, pullSecret: 'provider-wide' } }));
    expect(podOf(objects)?.spec?.imagePullSecrets).toEqual([{ name: 'provider-wide' }]);
  });

  it('do not restart pods when they change: only the next pull needs them', () => {
    const other = { ...credentials, password: 'other' };
    const [before, after] = [credentials, other].map((each) => podOf(leaseObjects(leaseContent([service({ credentials: each })]))));
    expect(after).toEqual(before);
  });
});

import { parseQuantity } from '@quartermaster/kernel';
import { z } from 'zod';
import { addressRange } from '../cluster/controllers/address-pool.ts';
import { findCpuModel, findGpuModel } from '../cluster/machine/hardware-catalog.ts';

/** A field that a function of ours judges; its error becomes the field's. */
const judged = <T extends z.ZodType>(schema: T, judge: (value: z.output<T>) => unknown): T =>
  schema.superRefine((value, context) => {
    try {
      judge(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    }
  });

const name = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes, at most 52 characters');
const count = z.int().min(1).max(100_000);
const texts = z.record(z.string(), z.string());
const quantity = judged(z.string(), parseQuantity);

const hardware = z.strictObject({
  cpu: judged(z.string(), findCpuModel),
  sockets: z.int().min(1).max(8),
  memoryGiB: z.int().min(1).max(65_536),
  gpus: z
    .array(
      judged(
        z.strictObject({
          model: z.string(),
          interface: z.string().optional(),
          memoryGiB: z.int().optional(),
          count: z.int().min(1).max(16),
        }),
        findGpuModel,
      ),
    )
    .optional(),
  disks: z
    .array(z.strictObject({ kind: z.enum(['nvme', 'ssd', 'hdd']), sizeGB: z.int().min(1), count: z.int().min(1).max(24) }))
    .optional(),
  nics: z.array(z.strictObject({ speedGbps: z.number().positive(), count: z.int().min(1).max(16) })).optional(),
});

const nodeGroup = z.strictObject({
  /** Nodes are called `prefix-1`, `prefix-2` and so on, counted through all racks. */
  prefix: name,
  hardware: z.string(),
  count,
  labels: texts.default({}),
  taints: z
    .array(
      z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']) }),
    )
    .default([]),
  maxPods: z.int().min(1).max(250).default(110),
});

const rack = z.strictObject({
  name,
  zone: name.default('zone-1'),
  /** None where only hosts of the datacenter stand. */
  nodes: z.array(nodeGroup).default([]),
});

const storageClass = z.strictObject({
  name,
  provisioner: z.string(),
  bindingMode: z.enum(['Immediate', 'WaitForFirstConsumer']).default('Immediate'),
  reclaimPolicy: z.enum(['Delete', 'Retain']).default('Delete'),
  isDefault: z.boolean().default(false),
  labels: texts.default({}),
  parameters: texts.default({}),
});

const ceph = z.strictObject({
  namespace: name.default('rook-ceph'),
  pools: z
    .array(
      z.strictObject({ name, sizeGiB: z.int().min(1), replicas: z.int().min(1).max(10).default(3), usedGiB: z.int().min(0).default(0) }),
    )
    .min(1),
});

const workload = z.strictObject({
  name,
  kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet']).default('Deployment'),
  replicas: z.int().min(0).max(10_000).default(1),
  image: z.string().default('registry.invalid/workload'),
  cpu: quantity.default('100m'),
  memory: quantity.default('128Mi'),
  gpus: z.strictObject({ vendor: z.enum(['nvidia', 'amd']).default('nvidia'), count: z.int().min(1).max(16) }).optional(),
  volume: z.strictObject({ class: z.string(), size: quantity }).optional(),
  expose: z
    .strictObject({ port: z.int().min(1).max(65_535), type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP') })
    .optional(),
  runForMs: z.int().min(0).optional(),
});

const tenants = z.strictObject({
  /** Namespaces are called `prefix-1`, `prefix-2` and so on. */
  prefix: name,
  count,
  labels: texts.default({}),
  workloads: z.array(workload).default([]),
  /** Pods that run from the beginning, so many on every node, dealt to the tenants in turn. */
  runningPods: z
    .strictObject({
      perNode: z.int().min(1).max(250),
      image: z.string().default('registry.invalid/workload'),
      cpu: quantity.default('100m'),
      memory: quantity.default('128Mi'),
    })
    .optional(),
});

const nodeSets = z.record(name, z.strictObject({ hardware: z.string(), size: z.int().min(1).max(10_000) }));

const datacenter = z.strictObject({
  /** Hosts that are no nodes of the cluster: in store, or for the clusters of tenants. Called `prefix-1`, `prefix-2` and so on. */
  hosts: z.array(z.strictObject({ prefix: name, hardware: z.string(), rack: name, count })).default([]),
  templates: z.array(z.strictObject({ name, title: z.string(), description: z.string().default(''), nodeSets })).default([]),
  hub: z.strictObject({ name, namespace: name, ip: z.ipv4() }).optional(),
  /** Who may ask for clusters of hosts, and what they have asked for. */
  tenants: z
    .array(
      z.strictObject({
        name,
        clusters: z.array(z.strictObject({ name, template: name, nodeSets: z.record(name, count).default({}) })).default([]),
        /** What they deploy at the market, as SDL. */
        deployments: z.array(z.strictObject({ name, sdl: z.string().min(1) })).default([]),
      }),
    )
    .default([]),
});

const churn = z.strictObject({
  /** The mean time between two changes. */
  everyMs: z.int().min(10),
  /** How many workloads the tenants have at the same time, about. */
  workloads: z.int().min(1).max(10_000),
  replicas: z.int().min(1).max(1000).default(3),
  gpuShare: z.number().min(0).max(1).default(0),
});

/** What a scenario file holds. */
export const scenarioSchema = z.strictObject({
  description: z.string().default(''),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31),
  hardware: z.record(name, hardware),
  racks: z.array(rack).min(1),
  storage: z.strictObject({ classes: z.array(storageClass).default([]), ceph: ceph.optional() }).default({ classes: [] }),
  loadBalancer: z
    .strictObject({ pools: z.array(z.strictObject({ name, addresses: z.array(judged(z.string(), addressRange)).min(1) })) })
    .default({ pools: [] }),
  tenants: z.array(tenants).default([]),
  churn: churn.optional(),
  datacenter: datacenter.default({ hosts: [], templates: [], tenants: [] }),
  timing: z
    .strictObject({
      heartbeatMs: z.int().min(100).default(10_000),
      statusMs: z.int().min(1000).default(300_000),
      podStartMs: z.int().min(0).default(300),
    })
    .default({ heartbeatMs: 10_000, statusMs: 300_000, podStartMs: 300 }),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type Workload = Scenario['tenants'][number]['workloads'][number];
export type Datacenter = Scenario['datacenter'];
export type ChurnSettings = NonNullable<Scenario['churn']>;

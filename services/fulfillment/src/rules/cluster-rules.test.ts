import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Any, anyPack, BoolValueSchema, Int32ValueSchema, StringValueSchema } from '@bufbuild/protobuf/wkt';
import { type Cluster, ClusterSchema, type ClusterTemplate, ClusterTemplateSchema } from '@quartermaster/api/private';
import type { ReferencedByField } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';
import { clusterRules } from './cluster-rules.ts';
import { clusterTemplateRules } from './cluster-template-rules.ts';

const nothingSent = { sends: () => false, secrets: new Map<string, Uint8Array>() };

type Spec = NonNullable<MessageInitShape<typeof ClusterSchema>['spec']>;

const text = (value: string): Any => anyPack(StringValueSchema, create(StringValueSchema, { value }));
const truth = (value: boolean): Any => anyPack(BoolValueSchema, create(BoolValueSchema, { value }));
const url = (name: string): string => `type.googleapis.com/google.protobuf.${name}`;

const template = create(ClusterTemplateSchema, {
  id: 't1',
  parameters: [
    { name: 'region', type: url('StringValue'), required: true },
    { name: 'public', type: url('BoolValue'), default: truth(true) },
    { name: 'note', type: url('StringValue') },
  ],
  nodeSets: { workers: { hostClass: 'c1', size: 3 }, gpus: { hostClass: 'c2', size: 1 } },
});
const referenced = (object: ClusterTemplate = template): ReferencedByField => new Map([['spec.template', { id: object.id, object }]]);
const cluster = (spec: Spec, status?: MessageInitShape<typeof ClusterSchema>['status']): Cluster =>
  create(ClusterSchema, { spec: { template: 't1', ...spec }, status });
const created = (spec: Spec, object = template) => clusterRules.onCreate(cluster(spec), referenced(object));
const updated = (before: Cluster, after: Cluster) => clusterRules.onUpdate(before, after, referenced(), nothingSent);
const fields = (violations: readonly { readonly field: string }[]): string[] => violations.map(({ field }) => field);

describe('a new cluster', () => {
  it('must have a template', () => {
    expect(fields(clusterRules.validate(create(ClusterSchema)))).toEqual(['spec.template']);
    expect(fields(clusterRules.validate(create(ClusterSchema, { spec: {} })))).toEqual(['spec.template']);
  });

  it('takes node sets, classes and parameters from its template where it does not give them', () => {
    const { object, violations } = created({ templateParameters: { region: text('eu') }, nodeSets: { workers: { size: 7 } } });
    expect(violations).toEqual([]);
    expect(object.spec?.nodeSets).toMatchObject({ workers: { hostClass: 'c1', size: 7 }, gpus: { hostClass: 'c2', size: 1 } });
    expect(object.spec?.templateParameters).toEqual({ region: text('eu'), public: truth(true) });
  });

  it('names every parameter that is missing, unknown or of another type', () => {
    const { violations } = created({ templateParameters: { public: text('yes'), colour: text('red') } });
    expect(violations).toEqual([
      { field: 'spec.template_parameters.colour', description: 'is not a parameter of the template; it has region, public, note' },
      {
        field: 'spec.template_parameters.region',
        description: expect.stringContaining('must be set, to a value of type "google.protobuf.StringValue"'),
      },
      {
        field: 'spec.template_parameters.public',
        description: expect.stringContaining('must be of type "google.protobuf.BoolValue", and is of type "google.protobuf.StringValue"'),
      },
    ]);
  });

  it('refuses a parameter that says another type than it has, and does not repeat it', () => {
    const broken = { ...text('x'), value: new TextEncoder().encode('canary-7') };
    const { violations } = created({ templateParameters: { region: broken } });
    expect(fields(violations)).toEqual(['spec.template_parameters.region']);
    expect(JSON.stringify(violations)).not.toContain('canary-7');
  });

  it('has node sets of its template only, with its classes', () => {
    const { violations } = created({
      templateParameters: { region: text('eu') },
      nodeSets: { extra: { size: 1 }, workers: { size: 1, hostClass: 'c2' }, gpus: { size: 1, hostClass: 'c2' } },
    });
    expect(violations).toEqual([
      { field: 'spec.node_sets.extra', description: 'is not a node set of template "t1"; it has gpus, workers' },
      { field: 'spec.node_sets.workers.host_class', description: 'must be empty or "c1", as in template "t1"' },
    ]);
  });

  it('needs sizes above zero, and has no hosts in its spec', () => {
    const violations = clusterRules.validate(
      cluster({ nodeSets: { a: { size: 0 }, b: { size: -1 }, c: { size: 1, hosts: ['h'] }, 'd e': { size: 1 } } }),
    );
    expect(fields(violations)).toEqual([
      'spec.node_sets.`d e`',
      'spec.node_sets.a.size',
      'spec.node_sets.b.size',
      'spec.node_sets.c.hosts',
    ]);
    expect(violations.at(-1)?.description).toContain('shown in "status"');
  });

  it('refers to its template and the classes of its node sets by id or name', () => {
    expect(clusterRules.references(cluster({ nodeSets: { w: { hostClass: 'gold', size: 1 }, x: { size: 1 } } }))).toEqual([
      { field: 'spec.template', kind: 'cluster_templates', value: 't1', isNameAllowed: true },
      { field: 'spec.node_sets.w.host_class', kind: 'host_classes', value: 'gold', isNameAllowed: true },
    ]);
  });
});

describe('a cluster that is updated', () => {
  const before = cluster({ templateParameters: { region: text('eu') }, nodeSets: { workers: { hostClass: 'c1', size: 3 } } });

  it('may change sizes, and leave out the class of a node set', () => {
    const after = cluster({ templateParameters: { region: text('eu') }, nodeSets: { workers: { size: 9 } } });
    const { object, violations } = updated(before, after);
    expect(violations).toEqual([]);
    expect(object.spec?.nodeSets).toMatchObject({ workers: { hostClass: 'c1', size: 9 } });
  });

  it('keeps its template, its parameters, the classes of its node sets and one node set at least', () => {
    const other = cluster({
      template: 't2',
      templateParameters: { region: text('us'), note: text('n') },
      nodeSets: { workers: { hostClass: 'c2', size: 3 } },
    });
    expect(fields(updated(before, other).violations)).toEqual([
      'spec.template_parameters.region',
      'spec.template_parameters.note',
      'spec.template',
      'spec.node_sets.workers.host_class',
    ]);
    expect(fields(updated(before, cluster({ templateParameters: { region: text('eu') } })).violations)).toEqual(['spec.node_sets']);
    expect(fields(updated(before, cluster({ nodeSets: { workers: { size: 3 } } })).violations)).toEqual([
      'spec.template_parameters.region',
    ]);
  });

  it('may get back a node set of its template, and no other', () => {
    const parameters = { region: text('eu') };
    const after = cluster({ templateParameters: parameters, nodeSets: { workers: { size: 3 }, gpus: { size: 2 } } });
    expect(clusterRules.references(after, before)).toMatchObject([{ field: 'spec.template' }]);
    expect(updated(before, after)).toMatchObject({
      object: { spec: { nodeSets: { gpus: { hostClass: 'c2', size: 2 } } } },
      violations: [],
    });
    const foreign = cluster({ templateParameters: parameters, nodeSets: { workers: { size: 3 }, more: { size: 2 } } });
    expect(fields(updated(before, foreign).violations)).toEqual(['spec.node_sets.more']);
  });

  it('keeps a node set with hosts in its status until they are released', () => {
    const holding = cluster(
      { nodeSets: { workers: { hostClass: 'c1', size: 1 } } },
      { nodeSets: { workers: { hosts: ['h1'], size: 1 }, old: {} } },
    );
    const { object } = updated(holding, cluster({ nodeSets: { workers: { size: 1 } } }, { state: 2 }));
    expect(Object.keys(object.status?.nodeSets ?? {})).toEqual(['workers']);
    expect(object.status).toMatchObject({ state: 2, nodeSets: { workers: { hosts: ['h1'] } } });
    expect(updated(holding, cluster({ nodeSets: { workers: { size: 1 } } })).object.status?.nodeSets['workers']?.hosts).toEqual(['h1']);
  });

  it('has a status that makes sense', () => {
    const status = {
      alias: 'Not a label',
      port: 70_000,
      apiUrl: 'nope',
      consoleUrl: 'https://console.example',
      conditions: [{ type: 1 }, { type: 1 }],
    } as const;
    expect(fields(clusterRules.validate(cluster({}, { ...status, conditions: [...status.conditions] })))).toEqual([
      'status.conditions.1.type',
      'status.alias',
      'status.port',
      'status.api_url',
    ]);
  });
});

describe('a cluster template', () => {
  const violationsOf = (init: MessageInitShape<typeof ClusterTemplateSchema>): string[] =>
    fields(clusterTemplateRules.validate(create(ClusterTemplateSchema, init)));

  it('defines each parameter once, with a known type and a default of it', () => {
    expect(violationsOf(template)).toEqual([]);
    const parameters = [
      { name: 'a', type: url('StringValue'), default: truth(true) },
      { name: 'a', type: url('Int32Value'), default: anyPack(Int32ValueSchema, create(Int32ValueSchema, { value: 1 })) },
      { name: '1', type: 'my.own.Type' },
      { name: '', type: '' },
    ];
    expect(violationsOf({ parameters })).toEqual([
      'parameters.0.default',
      'parameters.1.name',
      'parameters.2.name',
      'parameters.2.type',
      'parameters.3.name',
      'parameters.3.type',
    ]);
  });

  it('says the class and the size of each node set', () => {
    expect(violationsOf({ nodeSets: { a: { size: 1 }, b: { hostClass: 'c' } } })).toEqual(['node_sets.a.host_class', 'node_sets.b.size']);
    expect(clusterTemplateRules.references(template)).toMatchObject([
      { field: 'node_sets.workers.host_class' },
      { field: 'node_sets.gpus.host_class' },
    ]);
  });
});

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { contentOf } from '../server/content-of.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { type ApiConnection, withApi } from './api-connection.ts';
import type { ApiFlags } from './api-flags.ts';
import type { KindPlural } from './kind-names.ts';
import { isJsonObject, listAt, objectJson, textAt, valueTypes } from './object-json.ts';
import { findObject } from './read-objects.ts';
import { createObject } from './run-apply.ts';
import { type WrittenFormat, writtenText } from './written-text.ts';

export interface CreateFlags extends ApiFlags {
  readonly id?: string;
  readonly label: readonly string[];
  readonly tenant: readonly string[];
  readonly dryRun: boolean;
  readonly output: WrittenFormat;
}

export interface CreateHostClassFlags extends CreateFlags {
  readonly title?: string;
  readonly description?: string;
}

export interface CreateHubFlags extends CreateFlags {
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly pullSecret?: string;
  readonly sshPublicKey?: string;
  readonly ip?: string;
}

export interface CreateHostFlags extends CreateFlags {
  readonly class?: string;
  readonly rack?: string;
  readonly title?: string;
  readonly bootMac?: string;
  readonly bootIp?: string;
  readonly bmcUrl?: string;
  readonly bmcUser?: string;
  readonly bmcPasswordFile?: string;
}

export interface CreateClusterFlags extends CreateFlags {
  readonly template: string;
  readonly nodeSet: readonly string[];
  readonly parameter: readonly string[];
}

export async function createHostClass(name: string, flags: CreateHostClassFlags, output: Output): Promise<void> {
  await createFromFlags('host-classes', name, flags, output, () => present({ title: flags.title, description: flags.description }));
}

/** Secrets come from files: a command line is seen by others. */
export async function createHub(name: string, flags: CreateHubFlags, output: Output): Promise<void> {
  await createFromFlags('hubs', name, flags, output, () =>
    present({
      namespace: flags.namespace,
      kubeconfig: Buffer.from(contentOf(flags.kubeconfig, '--kubeconfig')).toString('base64'),
      pull_secret: flags.pullSecret === undefined ? undefined : contentOf(flags.pullSecret, '--pull-secret').trim(),
      ssh_public_key: flags.sshPublicKey === undefined ? undefined : contentOf(flags.sshPublicKey, '--ssh-public-key').trim(),
      ip: flags.ip,
    }),
  );
}

export async function createHost(name: string, flags: CreateHostFlags, output: Output): Promise<void> {
  const { bmcPasswordFile } = flags;
  await createFromFlags('hosts', name, flags, output, () => {
    const password = bmcPasswordFile === undefined ? undefined : contentOf(bmcPasswordFile, '--bmc-password-file').trim();
    const bmc = present({ url: flags.bmcUrl, user: flags.bmcUser, password });
    const spec = {
      class: flags.class,
      rack: flags.rack,
      title: flags.title,
      boot_mac: flags.bootMac,
      boot_ip: flags.bootIp,
      bmc: Object.keys(bmc).length === 0 ? undefined : bmc,
    };
    return { spec: present(spec) };
  });
}

export async function createCluster(name: string, flags: CreateClusterFlags, output: Output): Promise<void> {
  await createFromFlags('clusters', name, flags, output, async (connection) => {
    const parameters = flags.parameter.length === 0 ? {} : { template_parameters: await parametersOf(connection, flags) };
    const sets = flags.nodeSet.length === 0 ? {} : { node_sets: Object.fromEntries(flags.nodeSet.map(nodeSetOf)) };
    return { spec: { template: flags.template, ...parameters, ...sets } };
  });
}

async function createFromFlags(
  kind: KindPlural,
  name: string,
  flags: CreateFlags,
  output: Output,
  more: (connection: ApiConnection) => JsonObject | Promise<JsonObject>,
): Promise<void> {
  await withApi(flags, async (connection) => {
    const api = await connection.objects(kind);
    const labels = flags.label.length === 0 ? {} : { labels: Object.fromEntries(flags.label.map((text) => pairOf(text, '--label'))) };
    const tenants = flags.tenant.length === 0 ? {} : { tenants: [...flags.tenant] };
    const json = {
      ...(flags.id === undefined ? {} : { id: flags.id }),
      metadata: { name, ...labels, ...tenants },
      ...(await more(connection)),
    };
    const { object, outcome } = await createObject(api, json, flags);
    output.out.write(writtenText(api, object, outcome, { format: flags.output, isDryRun: flags.dryRun, paint: paintFor(output.out) }));
  });
}

/** `workers=3`, or with a class that the template does not give: `workers=3:gpu-large`. */
export function nodeSetOf(text: string): readonly [string, JsonObject] {
  const [, name, size, hostClass] = /^([^=:]+)=(\d{1,9})(?::(.+))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new StatusError('invalid_argument', `--node-set "${text}" must be NAME=SIZE or NAME=SIZE:CLASS, such as workers=3`);
  return [name, { size: Number(size), ...(hostClass === undefined ? {} : { host_class: hostClass }) }];
}

/** Each parameter in the type that the template gives it. */
async function parametersOf(connection: ApiConnection, { template, parameter }: CreateClusterFlags): Promise<JsonObject> {
  const api = await connection.objects('cluster-templates');
  const definitions = listAt(objectJson(api.schema, await findObject(api, template)), 'parameters').filter(isJsonObject);
  const types = new Map(definitions.map((definition) => [textAt(definition, 'name'), textAt(definition, 'type')])); // name -> type
  return Object.fromEntries(
    parameter.map((text) => {
      const [name, value] = pairOf(text, '--parameter');
      const type = types.get(name);
      if (type === undefined) {
        const known = types.size === 0 ? 'it has none' : `it has ${[...types.keys()].join(', ')}`;
        throw new StatusError('invalid_argument', `--parameter ${name}: the template has no such parameter: ${known}`);
      }
      return [name, typedValue(type, value)];
    }),
  );
}

/** A value of a parameter: a text where the type is one, else JSON. */
export function typedValue(type: string, text: string): JsonObject {
  const name = type.slice(type.lastIndexOf('/') + 1);
  if (valueTypes.getMessage(name) === undefined) {
    throw new StatusError('invalid_argument', `values of the type ${type} cannot be given by flags: write a file and use -f`);
  }
  const isText = ['StringValue', 'BytesValue', 'Timestamp', 'Duration'].some((each) => name === `google.protobuf.${each}`);
  return { '@type': `type.googleapis.com/${name}`, value: isText ? text : jsonOrText(text) };
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function pairOf(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new StatusError('invalid_argument', `${flag} "${text}" must be NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}

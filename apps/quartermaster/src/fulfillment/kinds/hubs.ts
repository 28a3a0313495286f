import type { JsonObject } from '@bufbuild/protobuf';
import { Option } from 'commander';
import { contentIfNamed, contentOf } from '../../server/content-of.ts';
import { presentFields, valueAt } from '../../text/json-path.ts';
import { age, common, name, nothing, text } from './columns.ts';
import { type CreateFlags, type Kind, type KindCreation, namesOfKind } from './kind.ts';

interface CreateHubFlags extends CreateFlags {
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly pullSecret?: string | undefined;
  readonly sshPublicKey?: string | undefined;
  readonly ip?: string | undefined;
}

const creation: KindCreation<CreateHubFlags> = {
  summary: 'A Kubernetes cluster that clusters are made from.',
  options: [
    new Option('--kubeconfig <file>', 'that opens it').makeOptionMandatory(),
    new Option('--namespace <name>', 'where clusters are made in it').makeOptionMandatory(),
    new Option('--pull-secret <file>', 'for images'),
    new Option('--ssh-public-key <file>', 'that opens the nodes'),
    new Option('--ip <address>', 'at which its clusters are reached'),
  ],
  // Secrets come from files: a command line is seen by others.
  fields: ({ namespace, kubeconfig, pullSecret, sshPublicKey, ip }) =>
    presentFields({
      namespace,
      kubeconfig: Buffer.from(contentOf(kubeconfig, '--kubeconfig')).toString('base64'),
      pull_secret: contentIfNamed(pullSecret, '--pull-secret'),
      ssh_public_key: contentIfNamed(sshPublicKey, '--ssh-public-key'),
      ip,
    }),
};

export const hubs: Kind = {
  ...namesOfKind('hubs', 'Hub'),
  summary: 'Hubs: the Kubernetes clusters that clusters are made from.',
  columns: [name, text('NAMESPACE', 'namespace'), text('IP', 'ip'), { header: 'KUBECONFIG', cell: secretText }, age, ...common],
  references: [],
  creation,
};

/** Whether there is one: never what it is. */
function secretText(object: JsonObject): string {
  if (valueAt(object, 'kubeconfig_ref') !== undefined) return 'reference';
  return valueAt(object, 'kubeconfig') === undefined ? nothing : 'stored';
}

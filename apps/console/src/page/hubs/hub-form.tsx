import { hubKind } from '../api/object-kind.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HubObject } from './hub-object.ts';
import { SecretSourceField } from './secret-source-field.tsx';

interface HubFormProps {
  /** A new one without it. As lists have it: with marks instead of secrets. */
  readonly hub?: HubObject | undefined;
  readonly onSaved: (hub: HubObject) => void;
  readonly onCancel: () => void;
}

const paths = [
  'id',
  'metadata.name',
  'namespace',
  'ip',
  'ssh_public_key',
  'kubeconfig',
  'kubeconfig_ref',
  'pull_secret',
  'pull_secret_ref',
];

export function HubForm({ hub, onSaved, onCancel }: HubFormProps) {
  const isNew = hub === undefined;
  const form = useObjectForm<HubObject>({
    kind: hubKind,
    object: hub,
    initial: isNew ? {} : draftOf(hub),
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create hub' : 'Save'} onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {isNew && <FormField form={form} path="id" label="Id" hint="empty: one is made" isMono />}
      <FormField form={form} path="namespace" label="Namespace" hint="that clusters are made in" isMono />
      <FormField form={form} path="ip" label="Address" hint="that the APIs of clusters are published at" isMono />
      <div className="form-wide">
        <FormField form={form} path="ssh_public_key" label="SSH public key" kind="long" placeholder="ssh-ed25519 AAAA…" isMono />
      </div>
      <SecretSourceField
        form={form}
        path="kubeconfig"
        label="Kubeconfig"
        hint="YAML with kind: Config. Stored encrypted, never shown again."
        encode={base64}
      />
      <SecretSourceField
        form={form}
        path="pull_secret"
        label="Pull secret"
        hint={'JSON with "auths". Stored encrypted, never shown again.'}
        encode={(text) => text}
      />
    </ObjectForm>
  );
}

/** Bytes are base64 in JSON. */
function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
}

function draftOf(hub: HubObject) {
  const { id, metadata, namespace, ip, kubeconfig, pull_secret, ssh_public_key, kubeconfig_ref, pull_secret_ref } = hub;
  const name = metadata.name;
  return { id, metadata: { name }, namespace, ip, ssh_public_key, kubeconfig, kubeconfig_ref, pull_secret, pull_secret_ref };
}

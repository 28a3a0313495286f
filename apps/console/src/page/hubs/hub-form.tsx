import { hubKind } from '../api/object-kind.ts';
import { FormField } from '../objects/form-field.tsx';
import { NameField } from '../objects/named-fields.tsx';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HubObject } from './hub-object.ts';
import { SecretSourceField } from './secret-source-field.tsx';

const secrets = ['kubeconfig', 'kubeconfig_ref', 'pull_secret', 'pull_secret_ref'];
const paths = ['id', 'metadata.name', 'namespace', 'ip', 'ssh_public_key', ...secrets];

/** Edits a hub as lists have it: with marks instead of secrets. */
export function HubForm({ object, onSaved, onCancel }: ObjectFormProps<HubObject>) {
  const form = useObjectForm({ kind: hubKind, object, paths, onSaved });
  return (
    <ObjectForm form={form} onCancel={onCancel}>
      <NameField form={form} hasId />
      <FormField form={form} path="namespace" label="Namespace" hint="where clusters are created" isMono />
      <FormField form={form} path="ip" label="Address" hint="where the APIs of clusters are published" isMono />
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

import { hostClassKind, hostKind } from '../api/object-kind.ts';
import type { DraftPath } from '../objects/draft.ts';
import { FormField } from '../objects/form-field.tsx';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import { useSession } from '../session/session.ts';
import type { Host } from './host.ts';

const publicPaths: readonly DraftPath[] = ['metadata.name', 'spec.title', 'spec.description', 'spec.power_state'];
const privatePaths: readonly DraftPath[] = [
  ...publicPaths,
  'id',
  'metadata.tenants',
  'spec.class',
  'spec.rack',
  'spec.rack_unit',
  'spec.rack_height',
  'spec.boot_mac',
  'spec.boot_ip',
  'spec.serial',
  'spec.system_uuid',
  'spec.link',
  'spec.bmc.url',
  'spec.bmc.user',
  'spec.bmc.password',
  'spec.bmc.insecure',
];

const power = { HOST_POWER_STATE_UNSPECIFIED: 'unchanged', HOST_POWER_STATE_ON: 'on', HOST_POWER_STATE_OFF: 'off' };

const secrets = ['spec.bmc.password'];

/** Everything about a host that a person may say. */
export function HostForm({ object, onSaved, onCancel }: ObjectFormProps<Host>) {
  const { isStaff } = useSession();
  const classes = useNamesOf(hostClassKind);
  const form = useObjectForm({ kind: hostKind, object, paths: isStaff ? privatePaths : publicPaths, secrets, onSaved });
  const { isNew } = form;
  const classChoices = { '': 'none yet', ...Object.fromEntries(classes) };
  return (
    <ObjectForm form={form} onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes; need not be unique" isMono />
      {isNew && isStaff && <FormField form={form} path="id" label="Id" hint="generated if empty" isMono />}
      <FormField form={form} path="spec.title" label="Title" />
      <FormField form={form} path="spec.power_state" label="Desired power" choices={power} />
      {isStaff && (
        <>
          <FormField form={form} path="spec.class" label="Class" choices={classChoices} />
          <FormField form={form} path="spec.rack" label="Rack" />
          <FormField form={form} path="spec.rack_unit" label="Lowest height unit" kind="number" hint="from 1, at the bottom" />
          <FormField form={form} path="spec.rack_height" label="Height in units" kind="number" />
          <FormField form={form} path="spec.serial" label="Serial number" isMono />
          <FormField form={form} path="spec.system_uuid" label="System UUID" isMono />
          <FormField form={form} path="spec.boot_mac" label="Boot MAC" placeholder="aa:bb:cc:dd:ee:ff" isMono />
          <FormField form={form} path="spec.boot_ip" label="Boot IP" isMono />
          <FormField form={form} path="spec.bmc.url" label="BMC address" placeholder="redfish+https://10.0.0.1" isMono />
          <FormField form={form} path="spec.bmc.user" label="BMC user" isMono />
          <FormField
            form={form}
            path="spec.bmc.password"
            label="BMC password"
            kind="secret"
            hint={isNew ? 'stored encrypted, never shown again' : 'leave empty to keep it'}
          />
          <FormField form={form} path="spec.bmc.insecure" label="Skip BMC certificate verification" kind="yes-no" />
        </>
      )}
      <div className="form-wide">
        <FormField form={form} path="spec.description" label="Description" kind="long" />
      </div>
    </ObjectForm>
  );
}

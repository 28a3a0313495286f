import { hostPoolState } from '@quartermaster/api/states';
import { nameOf } from '../api/api-object.ts';
import { hostKind, hostPoolKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { ConditionsPanel } from '../objects/conditions-panel.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { SizedSetsList } from '../objects/sized-sets-list.tsx';
import { Panel } from '../parts/panel.tsx';
import { HostPoolForm } from './host-pool-form.tsx';
import { type HostPoolObject, wantedHosts } from './host-pool-object.ts';

/** One host pool: what it shall have, which hosts it has, and how it is. */
export function HostPoolPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<HostPoolObject> kind={hostPoolKind} params={params}>
      {(pool) => <HostPoolView pool={pool} />}
    </ObjectPage>
  );
}

function HostPoolView({ pool }: { readonly pool: HostPoolObject }) {
  const hosts = pool.status?.hosts ?? [];
  return (
    <ObjectView
      kind={hostPoolKind}
      object={pool}
      state={hostPoolState(pool)}
      form={HostPoolForm}
      consequences={[
        `The host pool ${nameOf(pool)} of ${pool.metadata.tenants.join(', ')} is deleted.`,
        hosts.length > 0 && `Its ${countOf(hosts.length, 'host')} must be released before it is gone.`,
      ]}
      needsConfirmation={hosts.length > 0}
      facts={[]}
    >
      <Panel title="Hosts" aside={`${formatInteger(hosts.length)} of ${countOf(wantedHosts(pool), 'host')}`} source="fulfillment">
        <SizedSetsList sets={pool.spec?.host_sets ?? {}} />
        {hosts.length === 0 ? (
          <p className="empty-line">It has no hosts: this release does not assign hosts to pools.</p>
        ) : (
          <ul className="host-links">
            {hosts.map((host) => (
              <li key={host}>
                <ObjectName kind={hostKind} id={host} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <ConditionsPanel conditions={pool.status?.conditions} />
    </ObjectView>
  );
}

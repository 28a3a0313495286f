import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { hostClassKind, hostKind, hostPoolKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { hostHref } from '../hosts/host.ts';
import { objectHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ConditionList } from '../objects/condition-list.tsx';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { HostPoolForm } from './host-pool-form.tsx';
import { type HostPoolObject, poolState, wantedHosts } from './host-pool-object.ts';

/** One host pool: what it shall have, which hosts it has, and how it is. */
export function HostPoolPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<HostPoolObject> kind={hostPoolKind} params={params}>
      {(pool) => <HostPoolBody pool={pool} />}
    </ObjectPage>
  );
}

function HostPoolBody({ pool }: { readonly pool: HostPoolObject }) {
  const classes = useNamesOf(hostClassKind);
  const hosts = pool.status?.hosts ?? [];
  const { tone, word } = poolState(pool);
  return (
    <>
      <header className="page-head">
        <h1>{nameOf(pool)}</h1>
        <StateWord tone={tone} word={word} />
        <ObjectActions
          kind={hostPoolKind}
          object={pool}
          form={(onDone) => <HostPoolForm pool={pool} onSaved={onDone} onCancel={onDone} />}
          consequences={[
            `The host pool ${nameOf(pool)} of ${pool.metadata.tenants.join(', ')} is given up.`,
            ...(hosts.length === 0 ? [] : [`Its ${countOf(hosts.length, 'host')} must be released before it is gone.`]),
          ]}
          isGrave={hosts.length > 0}
        />
      </header>
      <Panel title="Hosts" aside={`${formatInteger(hosts.length)} of ${countOf(wantedHosts(pool), 'host')}`} source="fulfillment">
        <ul className="set-lines">
          {Object.entries(pool.spec?.host_sets ?? {}).map(([name, { host_class: hostClass, size }]) => (
            <li key={name}>
              <strong>{name}</strong>
              <span>{formatInteger(size)} of</span>
              <Link href={objectHref('host_classes', hostClass)}>{classes.get(hostClass) ?? hostClass}</Link>
            </li>
          ))}
        </ul>
        {hosts.length === 0 ? (
          <p className="empty-line">It has no hosts yet: nothing brings hosts into pools in this release.</p>
        ) : (
          <ul className="host-links">
            {hosts.map((host) => (
              <li key={host}>
                <ObjectName kind={hostKind} id={host} href={hostHref(host)} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Conditions" source="fulfillment">
        <ConditionList conditions={pool.status?.conditions ?? []} none="No controller has said anything about it yet." />
      </Panel>
      <Panel title="Facts" source="fulfillment">
        <ObjectFacts object={pool} />
      </Panel>
      <AuditTimeline kind={hostPoolKind} id={pool.id} />
    </>
  );
}

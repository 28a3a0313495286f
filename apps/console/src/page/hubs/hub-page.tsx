import { Link } from 'wouter';
import { celText } from '../../filter/cel-text.ts';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, hostKind, hubKind, listHref } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { ConditionsPanel } from '../objects/conditions-panel.tsx';
import { useObjectCount } from '../objects/object-count.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { OpenedPanel } from '../objects/opened-panel.tsx';
import { Panel } from '../parts/panel.tsx';
import { HubForm } from './hub-form.tsx';
import { type HubObject, secretWords } from './hub-object.ts';

/** One hub: how it is reached, without its secrets, and what depends on it. */
export function HubPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<HubObject> kind={hubKind} params={params}>
      {(hub) => <HubView hub={hub} />}
    </ObjectPage>
  );
}

function HubView({ hub }: { readonly hub: HubObject }) {
  const ofHub = `this.status.hub == ${celText(hub.id)}`;
  const clusters = useObjectCount(clusterKind, ofHub);
  const hosts = useObjectCount(hostKind, ofHub);
  const isUsed = (clusters ?? 0) + (hosts ?? 0) > 0;
  return (
    <ObjectView
      kind={hubKind}
      object={hub}
      form={HubForm}
      consequences={[
        `Nothing is provisioned through the hub ${nameOf(hub)} any more, and its credentials are deleted.`,
        isUsed && `${countOf(clusters ?? 0, 'cluster')} and ${countOf(hosts ?? 0, 'host')} refer to it: it is removed once they are gone.`,
      ]}
      needsConfirmation={isUsed}
    >
      <Panel title="How it is reached" source="fulfillment">
        <ObjectFacts
          object={hub}
          facts={[
            ['Namespace', codeOf(hub.namespace)],
            ['Address', codeOf(hub.ip)],
            ['Kubeconfig', secretWords(hub.kubeconfig, hub.kubeconfig_ref)],
            ['Pull secret', secretWords(hub.pull_secret, hub.pull_secret_ref)],
            ['SSH public key', codeOf(hub.ssh_public_key)],
          ]}
        />
      </Panel>
      {(hub.status?.conditions ?? []).length > 0 && <ConditionsPanel conditions={hub.status?.conditions} />}
      <Panel title="What depends on it" source="fulfillment">
        <p className="facts-line">
          <Link href={listHref(clusterKind, ofHub)}>{clusters === undefined ? '…' : countOf(clusters, 'cluster')}</Link>
          <Link href={listHref(hostKind, ofHub)}>{hosts === undefined ? '…' : countOf(hosts, 'host')}</Link>
        </p>
      </Panel>
      <OpenedPanel kind={hubKind} object={hub} />
    </ObjectView>
  );
}

const codeOf = (text: string) => (text === '' ? <span className="dim">not set</span> : <code>{text}</code>);

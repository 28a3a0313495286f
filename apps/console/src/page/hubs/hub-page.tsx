import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { clusterKind, hostKind, hubKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { celText, hostsHref } from '../hosts/host.ts';
import { ApiError } from '../http/api-error.ts';
import { countOf } from '../model/amounts.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectAnswer } from '../objects/object-answer.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { HubForm } from './hub-form.tsx';
import { type HubObject, secretWords } from './hub-object.ts';

/** One hub: how it is reached, without its secrets, and what depends on it. */
export function HubPage({ params }: { readonly params: RouteParams }) {
  const id = params['id'] ?? '';
  // A list has marks instead of secrets for everybody: so those never come to a browser, whoever looks.
  const { data, error } = useObjects<HubObject>(hubKind, { filter: `this.id == ${celText(id)}`, limit: 1 });
  const isMissing = data !== undefined && data.items.length === 0;
  const answer = { data: data?.items[0], error: isMissing ? new ApiError('not_found', `there is no hub ${id}`) : error };
  return (
    <ObjectAnswer kind={hubKind} id={id} answer={answer}>
      {(hub) => <HubBody hub={hub} />}
    </ObjectAnswer>
  );
}

function HubBody({ hub }: { readonly hub: HubObject }) {
  const { id, namespace, ip, ssh_public_key: sshPublicKey } = hub;
  const ofHub = `this.status.hub == ${celText(id)}`;
  const clusters = useObjects<ApiObject>(clusterKind, { filter: ofHub, limit: 0 }).data?.total;
  const hosts = useObjects<ApiObject>(hostKind, { filter: ofHub, limit: 0 }).data?.total;
  const isUsed = (clusters ?? 0) + (hosts ?? 0) > 0;
  const missing = <span className="dim">not set</span>;
  return (
    <>
      <header className="page-head">
        <h1>{nameOf(hub)}</h1>
        <ObjectActions
          kind={hubKind}
          object={hub}
          form={(onDone) => <HubForm hub={hub} onSaved={onDone} onCancel={onDone} />}
          consequences={[
            `Nothing is provisioned through the hub ${nameOf(hub)} any more, and its credentials are forgotten.`,
            ...(isUsed
              ? [`${countOf(clusters ?? 0, 'cluster')} and ${countOf(hosts ?? 0, 'host')} name it: it goes when they are gone.`]
              : []),
          ]}
          isGrave={isUsed}
        />
      </header>
      <Panel title="How it is reached" source="fulfillment">
        <ObjectFacts
          object={hub}
          facts={[
            ['Namespace', namespace === '' ? missing : <code>{namespace}</code>],
            ['Address', ip === '' ? missing : <code>{ip}</code>],
            ['Kubeconfig', secretWords(hub.kubeconfig, hub.kubeconfig_ref)],
            ['Pull secret', secretWords(hub.pull_secret, hub.pull_secret_ref)],
            ['SSH public key', sshPublicKey === '' ? missing : <code>{sshPublicKey}</code>],
          ]}
        />
      </Panel>
      <Panel title="What depends on it" source="fulfillment">
        <p className="facts-line">
          <Link href={`/clusters?q=${encodeURIComponent(ofHub)}`}>{clusters === undefined ? '…' : countOf(clusters, 'cluster')}</Link>
          <Link href={hostsHref(ofHub)}>{hosts === undefined ? '…' : countOf(hosts, 'host')}</Link>
        </p>
      </Panel>
      <AuditTimeline kind={hubKind} id={id} />
    </>
  );
}

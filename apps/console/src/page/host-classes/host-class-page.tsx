import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { hostClassKind, hostKind, templateKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { objectHref } from '../model/addresses.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/use-session.ts';
import { ClassBar, HostCount, ofClass } from './class-counts.tsx';
import { HostClassForm } from './host-class-form.tsx';
import type { HostClassObject } from './host-class-object.ts';

/** One host class: how many hosts of it there are and are left, and which templates ask for it. */
export function HostClassPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<HostClassObject> kind={hostClassKind} params={params}>
      {(hostClass) => <HostClassBody hostClass={hostClass} />}
    </ObjectPage>
  );
}

function HostClassBody({ hostClass }: { readonly hostClass: HostClassObject }) {
  const { isStaff } = useSession();
  const { id, title, description } = hostClass;
  const hosts = useObjects<ApiObject>(hostKind, { filter: ofClass(id), limit: 0 }).data?.total;
  const templates = useObjects<TemplateObject>(templateKind).data?.items ?? [];
  const using = templates.filter(({ node_sets: sets }) => Object.values(sets).some(({ host_class: wanted }) => wanted === id));
  return (
    <>
      <header className="page-head">
        <h1>{nameOf(hostClass)}</h1>
        <p>{title}</p>
        <ObjectActions
          kind={hostClassKind}
          object={hostClass}
          form={(onDone) => <HostClassForm hostClass={hostClass} onSaved={onDone} onCancel={onDone} />}
          consequences={[
            `No host, template or cluster can name the class ${nameOf(hostClass)} any more.`,
            'While one of them does, the service refuses to delete it.',
          ]}
          isGrave={(hosts ?? 0) > 0}
        />
      </header>
      {description !== '' && <p className="prose">{description}</p>}
      <Panel title="Hosts" source="fulfillment">
        {isStaff ? (
          <ClassBar id={id} />
        ) : (
          <dl className="amounts">
            <div>
              <dt>Yours</dt>
              <dd>
                <HostCount filter={ofClass(id)} />
              </dd>
            </div>
          </dl>
        )}
      </Panel>
      <Panel title="Templates that ask for it" source="fulfillment">
        {using.length === 0 ? (
          <p className="empty-line">None that you can see.</p>
        ) : (
          <ul className="host-links">
            {using.map((template) => (
              <li key={template.id}>
                <Link href={objectHref('cluster_templates', template.id)}>{nameOf(template)}</Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Facts" source="fulfillment">
        <ObjectFacts object={hostClass} />
      </Panel>
      <AuditTimeline kind={hostClassKind} id={id} />
    </>
  );
}

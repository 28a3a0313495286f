import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { hostClassKind, hostKind, objectHref, templateKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { ofClass } from '../claims/class-stock.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { ObjectCount, useObjectCount } from '../objects/object-count.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.ts';
import { ClassBar } from './class-bar.tsx';
import { HostClassForm, type HostClassObject } from './host-class-form.tsx';

/** One host class: how many hosts of it there are and are left, and which templates ask for it. */
export function HostClassPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<HostClassObject> kind={hostClassKind} params={params}>
      {(hostClass) => <HostClassView hostClass={hostClass} />}
    </ObjectPage>
  );
}

/** What refers to a class, while anything does. */
function usersOf(hosts: number, templates: number): string | undefined {
  const users = [hosts === 0 ? '' : countOf(hosts, 'host'), templates === 0 ? '' : countOf(templates, 'template')].filter(
    (text) => text !== '',
  );
  return users.length === 0 ? undefined : `${users.join(' and ')} of this class must be given another one or be deleted first.`;
}

function HostClassView({ hostClass }: { readonly hostClass: HostClassObject }) {
  const { isStaff } = useSession();
  const { id, title, description } = hostClass;
  const hosts = useObjectCount(hostKind, ofClass(id));
  const templates = useObjects<TemplateObject>(templateKind).data?.items ?? [];
  const using = templates.filter(({ node_sets: sets }) => Object.values(sets).some(({ host_class: wanted }) => wanted === id));
  return (
    <ObjectView
      kind={hostClassKind}
      object={hostClass}
      lead={<p>{title}</p>}
      form={HostClassForm}
      consequences={[`No host, template or cluster can refer to the class ${nameOf(hostClass)} any more.`]}
      needsConfirmation={false}
      blockedBy={usersOf(hosts ?? 0, using.length)}
      facts={[]}
    >
      {description !== '' && <p className="prose">{description}</p>}
      <Panel title="Hosts" source="fulfillment">
        {isStaff ? (
          <ClassBar id={id} />
        ) : (
          <Facts layout="amounts" facts={[['Yours', <ObjectCount key="yours" kind={hostKind} filter={ofClass(id)} />]]} />
        )}
      </Panel>
      <Panel title="Templates that ask for it" source="fulfillment">
        {using.length === 0 ? (
          <p className="empty-line">None that you can see.</p>
        ) : (
          <ul className="host-links">
            {using.map((template) => (
              <li key={template.id}>
                <Link href={objectHref(templateKind, template.id)}>{nameOf(template)}</Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </ObjectView>
  );
}

import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { clusterKind, hostClassKind, templateKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { ClusterCreateForm } from '../clusters/cluster-create-form.tsx';
import { parameterText, parameterTypeWords } from '../clusters/parameter-value.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { celText } from '../hosts/host.ts';
import { objectHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { CreateButton } from '../objects/create-button.tsx';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { Panel } from '../parts/panel.tsx';
import { TemplateForm } from './template-form.tsx';

/** One template: what a cluster made from it gets, what must be said for it, and which clusters were made from it. */
export function TemplatePage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<TemplateObject> kind={templateKind} params={params}>
      {(template) => <TemplateBody template={template} />}
    </ObjectPage>
  );
}

function TemplateBody({ template }: { readonly template: TemplateObject }) {
  const { id, title, description } = template;
  const madeFrom = `this.spec.template == ${celText(id)}`;
  const clusters = useObjects<ApiObject>(clusterKind, { filter: madeFrom, limit: 0 }).data?.total;
  return (
    <>
      <header className="page-head">
        <h1>{nameOf(template)}</h1>
        <p>{title}</p>
        <ObjectActions
          kind={templateKind}
          object={template}
          form={(onDone) => <TemplateForm template={template} onSaved={onDone} onCancel={onDone} />}
          consequences={[
            `No cluster can be ordered from the template ${nameOf(template)} any more.`,
            ...(clusters === undefined || clusters === 0
              ? []
              : [`${countOf(clusters, 'cluster')} made from it must be gone first: the service refuses otherwise.`]),
          ]}
          isGrave={(clusters ?? 0) > 0}
        />
        <CreateButton
          kind={clusterKind}
          label="Order a cluster"
          form={({ cancel, saved }) => <ClusterCreateForm template={id} onCancel={cancel} onSaved={saved} />}
        />
      </header>
      {description !== '' && <p className="prose">{description}</p>}
      <NodeSets template={template} />
      <Parameters template={template} />
      <Panel title="Clusters made from it" source="fulfillment">
        <p className="empty-line">
          {clusters === undefined ? (
            'Asking …'
          ) : clusters === 0 ? (
            'None that you can see.'
          ) : (
            <Link href={`/clusters?q=${encodeURIComponent(madeFrom)}`}>{countOf(clusters, 'cluster')}</Link>
          )}
        </p>
      </Panel>
      <Panel title="Facts" source="fulfillment">
        <ObjectFacts object={template} />
      </Panel>
      <AuditTimeline kind={templateKind} id={id} />
    </>
  );
}

function NodeSets({ template: { node_sets: sets } }: { readonly template: TemplateObject }) {
  const classes = useNamesOf(hostClassKind);
  return (
    <Panel title="Node sets" source="fulfillment">
      {Object.keys(sets).length === 0 && <p className="empty-line">None: no cluster can be made from it before it has one.</p>}
      <ul className="set-lines">
        {Object.entries(sets)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, { host_class: hostClass, size }]) => (
            <li key={name}>
              <strong>{name}</strong>
              <span>{formatInteger(size)} of</span>
              <Link href={objectHref('host_classes', hostClass)}>{classes.get(hostClass) ?? hostClass}</Link>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

function Parameters({ template: { parameters } }: { readonly template: TemplateObject }) {
  return (
    <Panel title="Parameters" source="fulfillment">
      {parameters.length === 0 ? (
        <p className="empty-line">None: the sizes of the node sets are all that an order says.</p>
      ) : (
        <table className="plain-table stacked-table">
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Takes</th>
              <th scope="col">Default</th>
              <th scope="col">What for</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map(({ name, title, description, type, required, default: fallback }) => (
              <tr key={name}>
                <th scope="row" className="mono">
                  {name}
                </th>
                <td>{parameterTypeWords(type)}</td>
                <td>
                  {fallback === undefined ? (
                    required ? (
                      'none, must be given'
                    ) : (
                      <span className="dim">none</span>
                    )
                  ) : (
                    <code>{parameterText(fallback)}</code>
                  )}
                </td>
                <td>{[title, description].filter((words) => words !== '').join(': ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

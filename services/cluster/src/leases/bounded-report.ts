import { maxServices } from '@quartermaster/api/lease-manifest';
import { joinedTexts } from '../health/told-text.ts';
import type { DeliveredService, DeliveryReport } from '../market/market.ts';

/** The market refuses a report with more, and the tenant would see none at all. */
const most = { services: maxServices, uris: 100, problems: 20 };

/** As much of the report as the market takes, with how much more there is. */
export function boundedReport(report: DeliveryReport): DeliveryReport {
  const services = report.services.slice(0, most.services).map(boundedService);
  const notes = leftOut('services', report.services.length, most.services);
  return { ...report, services, message: joinedTexts([report.message, ...notes]) };
}

function boundedService(service: DeliveredService): DeliveredService {
  const { uris } = service;
  const problems = [...leftOut('addresses', uris.length, most.uris), ...service.problems];
  const more = problems.length - most.problems + 1;
  return {
    ...service,
    uris: uris.slice(0, most.uris),
    problems: problems.length <= most.problems ? problems : [...problems.slice(0, most.problems - 1), `and ${more} more`],
  };
}

const leftOut = (what: string, count: number, listed: number): readonly string[] =>
  count <= listed ? [] : [`${listed} ${what} are listed, and ${count - listed} more`];

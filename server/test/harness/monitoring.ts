import { parse } from 'yaml';
import { readPage } from './pages.ts';

interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

export const alertRules: AlertRule[] = parse(readPage('deploy/prometheus/alerts.yml')).groups.flatMap(
  ({ rules }: { rules: AlertRule[] }) => rules,
);

interface Panel {
  targets?: { expr: string }[];
}

const dashboard: { panels: Panel[]; annotations: { list: { expr: string }[] } } = JSON.parse(
  readPage('deploy/grafana/dashboard.json'),
);

export const dashboardQueries: string[] = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets),
  ...dashboard.annotations.list,
].map(({ expr }) => expr);

/** The names of the metrics that a query selects. */
export function metricsIn(query: string): string[] {
  return query.match(/\b(?:session_launch|session_runtime|nodejs|process)_\w+/g) ?? [];
}

import type { OperatorRecord } from '@session-launch/contract/admin/operators';
import { type Role, roles } from '@session-launch/contract/roles';
import { type Command, Option } from 'commander';
import { addById, addList } from './client/commands.ts';
import type { Context } from './client/context.ts';
import { badUsage } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { printable, write, writeJson } from './terminal/io.ts';

export function addOperators(program: Command, context: Context): void {
  const operators = program
    .command('operators')
    .description('list, create, change and remove the people who may use the admin API and the console');
  const argument: [string, string] = ['<id>', 'id of the operator'];
  addList<OperatorRecord>(operators, context, {
    description: 'list the operators',
    json: 'print an array of operators',
    empty: () => 'no operators',
    columns: {
      OPERATOR: ({ operatorId }) => operatorId,
      ROLE: ({ role }) => role,
      PROJECTS: ({ projectIds }) => projectIds?.join(' ') ?? 'all',
      NAME: ({ name }) => name,
    },
    read: async (admin) => (await admin().json('operators', 'GET /admin/operators')).operators,
  });
  addCreate(operators, context);
  addById<Settings>(operators, context, {
    name: 'change',
    description: 'change the name, the role or the projects of an operator',
    prefix: 'opr',
    argument,
    options: [
      new Option('--name <name>', 'name of the person'),
      roleOption(),
      projectOption(),
      new Option('--all-projects', 'let the operator see every project'),
    ],
    json: 'print the operator as JSON',
    run: async (admin, operatorId, { name, role, project, allProjects, json }) => {
      if (project !== undefined && allProjects) throw badUsage('give either --project or --all-projects');
      const projectIds = allProjects ? null : project;
      const changed = await admin().json('operatorId', 'PATCH /admin/operators/{operatorId}', {
        params: { operatorId },
        body: { name, role, projectIds },
      });
      if (json) return changed;
      const projects = changed.projectIds?.join(' ') ?? 'all projects';
      return `${operatorId}: ${printable(changed.name)}, ${changed.role}, ${projects}`;
    },
  });
  addById(operators, context, {
    name: 'token',
    description: 'give an operator a new token and print it; the old one is refused at once',
    prefix: 'opr',
    argument,
    json: 'print {"token"}',
    run: async (admin, operatorId, { json }) => {
      const route = 'POST /admin/operators/{operatorId}/token';
      const { token } = await admin().json('token', route, { params: { operatorId } });
      return json ? { token } : `${token}. It is shown only once: store it now.`;
    },
  });
  addById(operators, context, {
    name: 'remove',
    description: 'remove an operator; the token and all sign-ins are refused within five seconds',
    prefix: 'opr',
    argument,
    run: async (admin, operatorId) => {
      await admin().text('DELETE /admin/operators/{operatorId}', { params: { operatorId } });
      return `${operatorId} is removed`;
    },
  });
}

interface Settings {
  name?: string;
  role?: Role;
  project?: string[];
  allProjects?: true;
  json?: true;
}

/** The command line requires both options. */
type NewOperator = Settings & Required<Pick<Settings, 'name' | 'role'>>;

const roleOption = () => new Option('--role <role>', 'what the operator may do').choices(roles);
const projectOption = () =>
  new Option('--project <id>', 'limit the operator to this project; repeat the option for several').argParser(
    (value: string, previous: string[] = []) => [...previous, checkId('prj', value)],
  );

function addCreate(operators: Command, { io, admin }: Context): void {
  operators
    .command('create')
    .description('create an operator and print the token; it cannot be shown again')
    .requiredOption('--name <name>', 'name of the person')
    .addOption(roleOption().makeOptionMandatory())
    .addOption(projectOption())
    .option('--json', 'print {"operatorId","token"}')
    .addHelpText(
      'after',
      '\nExample:\n  session-launch operators create --name Ada --role creator --project prj_demo',
    )
    .action(async ({ name, role, project, json }: NewOperator) => {
      const { operatorId, token } = await admin().json('token', 'POST /admin/operators', {
        body: { name, role, projectIds: project },
      });
      if (json) return writeJson(io.stdout, { operatorId, token });
      await write(io.stdout, `${token} (${operatorId}, ${role}). It is shown only once: store it now.\n`);
    });
}

import type { OperatorRecord } from '@session-launch/contract/admin/operators';
import { type Role, roles } from '@session-launch/contract/roles';
import { type Command, Option } from 'commander';
import type { Context } from './client/context.ts';
import { badUsage } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { printable, write, writeJson } from './terminal/io.ts';
import { Table } from './terminal/table.ts';

export function addOperators(program: Command, context: Context): void {
  const operators = program
    .command('operators')
    .description('list, create, change and remove the people who may use the admin API and the console');
  addList(operators, context);
  addCreate(operators, context);
  addChange(operators, context);
  addToken(operators, context);
  addRemove(operators, context);
}

function addList(operators: Command, { io, admin }: Context): void {
  operators
    .command('list')
    .description('list the operators')
    .option('--json', 'print an array of operators')
    .action(async (options: { json?: true }) => {
      const { operators: found } = await admin().json('operators', 'GET /admin/operators');
      if (options.json) return writeJson(io.stdout, found);
      const table = new Table<OperatorRecord>({
        OPERATOR: ({ operatorId }) => operatorId,
        ROLE: ({ role }) => role,
        PROJECTS: ({ projectIds }) => projectIds?.join(' ') ?? 'all',
        NAME: ({ name }) => name,
      });
      await write(io.stdout, found.length === 0 ? 'no operators\n' : table.text(found));
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

function addChange(operators: Command, { io, admin }: Context): void {
  operators
    .command('change')
    .description('change the name, the role or the projects of an operator')
    .argument('<id>', 'id of the operator')
    .option('--name <name>', 'name of the person')
    .addOption(roleOption())
    .addOption(projectOption())
    .option('--all-projects', 'let the operator see every project')
    .option('--json', 'print the operator as JSON')
    .action(async (id: string, { name, role, project, allProjects, json }: Settings) => {
      if (project !== undefined && allProjects) throw badUsage('give either --project or --all-projects');
      const projectIds = allProjects ? null : project;
      const changed = await admin().json('operatorId', 'PATCH /admin/operators/{operatorId}', {
        params: { operatorId: checkId('opr', id) },
        body: { name, role, projectIds },
      });
      if (json) return writeJson(io.stdout, changed);
      const projects = changed.projectIds?.join(' ') ?? 'all projects';
      await write(io.stdout, `${id}: ${printable(changed.name)}, ${changed.role}, ${projects}\n`);
    });
}

function addToken(operators: Command, { io, admin }: Context): void {
  operators
    .command('token')
    .description('give an operator a new token and print it; the old one is refused at once')
    .argument('<id>', 'id of the operator')
    .option('--json', 'print {"token"}')
    .action(async (id: string, options: { json?: true }) => {
      const { token } = await admin().json('token', 'POST /admin/operators/{operatorId}/token', {
        params: { operatorId: checkId('opr', id) },
      });
      if (options.json) return writeJson(io.stdout, { token });
      await write(io.stdout, `${token}. It is shown only once: store it now.\n`);
    });
}

function addRemove(operators: Command, { io, admin }: Context): void {
  operators
    .command('remove')
    .description('remove an operator; the token and all sign-ins are refused within five seconds')
    .argument('<id>', 'id of the operator')
    .action(async (id: string) => {
      await admin().text('DELETE /admin/operators/{operatorId}', {
        params: { operatorId: checkId('opr', id) },
      });
      await write(io.stdout, `${id} is removed\n`);
    });
}

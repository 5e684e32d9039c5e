import type { Permission } from '@session-launch/contract/roles';
import type { FunctionComponent } from 'preact';
import { may, me } from './me.ts';

/** Something that can be jumped to. */
export interface Target {
  title: string;
  id: string;
  href: string;
}

interface AnyScreen {
  /** The part of the address that names the screen, such as `keys` in `#/prj_demo/keys`. */
  address: string;
  /** In the navigation. */
  title: string;
  /** Absent: every operator may open the screen. */
  permission?: Permission;
}

/** A screen of a project. */
export interface ProjectScreen extends AnyScreen {
  /** `rest` is what follows the screen in the address. */
  component: FunctionComponent<{ projectId: string; rest: string[] }>;
  /** What can be jumped to besides the screen itself. */
  targets?(projectId: string): Promise<Target[]>;
}

/** A screen of the whole service. */
export interface ServiceScreen extends AnyScreen {
  component: FunctionComponent<{ rest: string[] }>;
  /** Whether it needs an operator who sees all projects. */
  isOfAllProjects?: true;
  /** Whether no link leads to it. */
  isUnlisted?: true;
}

/** Whether the operator may open this screen. */
export function mayOpen(screen: ProjectScreen | ServiceScreen): boolean {
  const { permission = 'read' } = screen;
  const isLimited = 'isOfAllProjects' in screen && me.value?.operator.projectIds !== null;
  return may(permission) && !isLimited;
}

#!/bin/bash
# Tests the PJRT plugin of this repository in the tasks of a Slurm array. Written by `pjrt-conformance init`; edit it freely.
# The package is not in the npm registry yet: commit {{tarball}}, which `npm pack` makes in its repository.
#
#   job=$(sbatch --parsable pjrt-conformance.sbatch)
#   sbatch --dependency=afterany:$job --wrap='{{tool}} report {{reports}}'
#
# The second job merges the logs of all tasks: {{reports}}/merged/junit.xml. It refuses them if a task is missing or unfinished.
#SBATCH --job-name=pjrt-conformance
#SBATCH --array=0-7
# A task that is preempted, or whose node fails, is queued again and resumes its log.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm-%A_%a.out
# What a task needs, for example one device:
# #SBATCH --gres=gpu:1 --cpus-per-task=4 --time=02:00:00

# Build your plugin before you submit the array. Nodes without a network need an installed package instead of npx.
# Fails the task when the plugin does not conform. The signals of Slurm must reach the command.
exec {{command}} --shard auto

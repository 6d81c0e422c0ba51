/* What belongs to the process, which a library leaves as it is. */
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum part { SIGNAL_HANDLERS, BLOCKED_SIGNALS, FLOATING_POINT, LOCALE, WORKING_DIRECTORY, ENVIRONMENT, LIMITS, DESCRIPTORS, SCHEDULING, THREAD_NAMES, CHILDREN, STANDARD_OUTPUT, PARTS };

#define MOST_DESCRIPTORS 64
extern char **environ;

/* The text of each part. */
static struct process {
  char *part[PARTS];
} before;

static void look(struct process *now) {
  char *text[PARTS];
  size_t size[PARTS];
  FILE *out[PARTS];
  fflush(stdout);
  for (int i = 0; i < PARTS; i++) out[i] = open_memstream(&text[i], &size[i]);
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    /* The program has its own for SIGALRM. */
    if (number == SIGALRM || sigaction(number, NULL, &action)) continue;
    fprintf(out[SIGNAL_HANDLERS], "%d %p\n", number, (void *)(uintptr_t)action.sa_sigaction);
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < 32; number++)
    if (sigismember(&blocked, number)) fprintf(out[BLOCKED_SIGNALS], "%d\n", number);
  fprintf(out[FLOATING_POINT], "rounding %d\n", fegetround());
  fenv_t floating_point;
  fegetenv(&floating_point);
#if defined __x86_64__
  fprintf(out[FLOATING_POINT], "x87 control 0x%x, MXCSR 0x%x\n", floating_point.__control_word, floating_point.__mxcsr & ~0x3fu);
#elif defined __aarch64__
  fprintf(out[FLOATING_POINT], "FPCR 0x%x\n", floating_point.__fpcr);
#endif
  fprintf(out[LOCALE], "%s\n", setlocale(LC_ALL, NULL));
  char path[4096];
  if (getcwd(path, sizeof path)) fprintf(out[WORKING_DIRECTORY], "%s\n", path);
  for (char **one = environ; *one; one++) fprintf(out[ENVIRONMENT], "%s\n", *one);
  mode_t mask = umask(0);
  umask(mask);
  fprintf(out[LIMITS], "umask 0%o\n", mask);
  for (int which = 0; which < RLIM_NLIMITS; which++) {
    struct rlimit limit;
    if (!getrlimit(which, &limit)) fprintf(out[LIMITS], "limit %d: %ju %ju\n", which, (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max);
  }
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    struct stat file;
    if (!fstat(fd, &file)) fprintf(out[DESCRIPTORS], "%d: %ju %ju\n", fd, (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
  }
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  fprintf(out[SCHEDULING], "%d processors, priority %d\n", CPU_COUNT(&processors), getpriority(PRIO_PROCESS, 0));
  char name[16];
  if (!pthread_getname_np(pthread_self(), name, sizeof name)) fprintf(out[THREAD_NAMES], "%s\n", name);
  siginfo_t child;
  if (!waitid(P_ALL, 0, &child, WNOHANG | WEXITED | WNOWAIT | __WALL)) fprintf(out[CHILDREN], "there are some\n");
  struct stat output;
  if (!fstat(1, &output)) fprintf(out[STANDARD_OUTPUT], "%jd bytes\n", (intmax_t)output.st_size);
  for (int i = 0; i < PARTS; i++) {
    fclose(out[i]);
    now->part[i] = text[i];
  }
}

/* Before the plugin is loaded. Its standard output is memory: this program writes nothing there. */
static void remember_process(void) {
  int output = memfd_create("output", 0);
  if (output < 0 || dup2(output, 1) < 0 || close(output)) exit(DIVERGES);
  look(&before);
}

/* Whether a line of a text is in another. */
static bool has_line(const char *text, const char *line, size_t length) {
  for (; *text; text += strcspn(text, "\n") + 1)
    if (strcspn(text, "\n") == length && !memcmp(text, line, length)) return true;
  return false;
}

/* Whether a part of the process is not as it was before the plugin was loaded: descriptors that it had must be the same. */
static bool changed(enum part part) {
  struct process now;
  look(&now);
  const char *then = before.part[part], *here = now.part[part];
  bool is_other = false;
  for (const char *line = then; *line; line += strcspn(line, "\n") + 1)
    if (!has_line(here, line, strcspn(line, "\n"))) is_other = true;
  for (const char *line = here; *line && part != DESCRIPTORS; line += strcspn(line, "\n") + 1)
    if (!has_line(then, line, strcspn(line, "\n"))) is_other = true;
  if (is_other) fprintf(stderr, "before:\n%snow:\n%s", then, here);
  return is_other;
}


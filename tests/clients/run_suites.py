"""Starts one mock and the gateways in front of it, then runs every suite against them."""

import argparse
import signal
import sys

import curl_cases
import deploy_cases
import drain_cases
import fault_cases
import fault_more_cases
import haproxy_cases
import lab_cases
import listen_cases
import mock_dev_cases
import node_driver
import policy_cases
import process_cases
import python_cases
import quota_cases
import quota_cluster_cases
import quota_outage_cases
import redaction_cases
import reload_cases
import secrecy_cases
import tls_cases
import token_cases
import verbs_cases
from cases import Report
from harness import Fleet


def _ended(*_):
    sys.exit(1)  # unwinds, so that the fleet is ended as well


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True, help="the folder with node_modules")
    parser.add_argument("--only", default="", help="part of a case's name; empty: all")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _ended)
    report = Report(options.only)
    with Fleet(options.binary) as fleet:
        try:
            mock = fleet.mock()
            open_gateway = fleet.gateway("open", mock)
            keys_gateway = fleet.keys_gateway("keys", mock)
        except Exception as error:  # pylint: disable=broad-except
            report.add("setup", "a mock and two gateways start", error, 0)
            return report.finish()
        python_cases.run(report, mock, open_gateway, keys_gateway)
        node_driver.run(report, options.out, mock, open_gateway, keys_gateway)
        curl_cases.run(report, fleet, mock, open_gateway)
        haproxy_cases.run(report, fleet, mock)
        process_cases.run(report, fleet, mock)
        drain_cases.run(report, fleet, mock)
        deploy_cases.run(report, fleet, mock)
        listen_cases.run(report, fleet, mock)
        reload_cases.run(report, fleet, mock)
        tls_cases.run(report, fleet, mock)
        quota_cases.run(report, fleet, mock)
        quota_outage_cases.run(report, fleet, mock)
        quota_cluster_cases.run(report, fleet, mock)
        token_cases.run(report, fleet, mock)
        fault_cases.run(report, fleet, fault_more_cases.suite)
        verbs_cases.run(report, fleet, mock)
        policy_cases.run(report, fleet, mock)
        secrecy_cases.run(report, fleet, mock)
        redaction_cases.run(report, fleet, mock)
        mock_dev_cases.run(report, fleet, mock)
        lab_cases.run(report, fleet)
        for process in (mock, open_gateway, keys_gateway):
            report.run("after all", f"{process.name} still runs", _still_runs(process))
    return report.finish()


def _still_runs(process):
    def case():
        if not process.running:
            raise RuntimeError(f"exit code {process.child.returncode}: {process.text()[-400:]}")
    return case


if __name__ == "__main__":
    sys.exit(main())
